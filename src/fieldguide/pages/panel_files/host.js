// The client that shows this page: JSON-RPC over postMessage, as MCP Apps has it (2026-01-26).

const PROTOCOL = "2026-01-26";

const host = {
  capabilities: {},
  context: {},
  served: new Set(JSON.parse(document.getElementById("served").textContent)),
  heard: {},

  ask(method, params) {
    const id = ++host.last;
    return new Promise((resolve, reject) => {
      host.waiting.set(id, { resolve, reject });
      host.post({ id, method, params });
    });
  },

  tell(method, params = {}) {
    host.post({ method, params });
  },

  can(tool) {
    return Boolean(host.capabilities.serverTools) && host.served.has(tool);
  },

  // A tool's result by way of the host; what the tool refuses is thrown.
  async call(name, given) {
    const result = await host.ask("tools/call", { name, arguments: given });
    if (result.isError) throw new Error(wordsOf(result));
    return result;
  },

  // Begins, and calls `heard` (by the last word of a notification's name) from then on.
  async begin(name, heard) {
    host.heard = heard;
    window.addEventListener("message", receive);
    const about = { appInfo: { name, version: "1" }, protocolVersion: PROTOCOL };
    const agreed = await host.ask("ui/initialize", { ...about, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } });
    host.capabilities = agreed.hostCapabilities ?? {};
    wear(agreed.hostContext ?? {});
    host.tell("ui/notifications/initialized");
    new ResizeObserver(measure).observe(document.body);
    measure();
  },

  last: 0,
  waiting: new Map(),

  post(message) {
    window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  },
};

function receive(event) {
  const message = event.data;
  if (event.source !== window.parent || message === null || typeof message !== "object" || message.jsonrpc !== "2.0") return;
  if (message.method === undefined) settle(message);
  else if (message.id !== undefined) respond(message);
  else hear(message.method, message.params ?? {});
}

function settle(message) {
  const asked = host.waiting.get(message.id);
  host.waiting.delete(message.id);
  if (asked === undefined) return;
  if (message.error) asked.reject(new Error(message.error.message || "The client gave no reason."));
  else asked.resolve(message.result ?? {});
}

function respond(message) {
  const known = message.method === "ping" || message.method === "ui/resource-teardown";
  const unknown = { error: { code: -32601, message: "Method not found" } };
  host.post({ id: message.id, ...(known ? { result: {} } : unknown) });
}

function hear(method, params) {
  if (method === "ui/notifications/host-context-changed") wear(params);
  const name = method.slice(method.lastIndexOf("/") + 1);
  if (method.startsWith("ui/notifications/") && Object.hasOwn(host.heard, name)) host.heard[name](params);
}

// Looks as the host looks: its theme, its colours, its margins.
function wear(context) {
  Object.assign(host.context, context);
  const root = document.documentElement;
  if (context.theme === "light" || context.theme === "dark") root.dataset.theme = context.theme;
  for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value);
  }
  for (const [side, wide] of Object.entries(context.safeAreaInsets ?? {})) {
    if (Number.isFinite(wide)) document.body.style.setProperty(`margin-${side}`, `${wide}px`);
  }
}

let measured = "";

function measure() {
  const { width, height } = document.documentElement.getBoundingClientRect();
  const size = { width: Math.ceil(width), height: Math.ceil(height) };
  if (measured === JSON.stringify(size)) return;
  measured = JSON.stringify(size);
  host.tell("ui/notifications/size-changed", size);
}

function textOf(result) {
  return (result.content ?? []).find((block) => block.type === "text")?.text ?? "";
}

// The value of a tool's result: as it stands, or as its text has it; undefined where that is no JSON.
function valueOf(result) {
  if (result.structuredContent !== undefined && result.structuredContent !== null) return result.structuredContent;
  try {
    return JSON.parse(textOf(result));
  } catch {
    return undefined;
  }
}

// What a refusal says.
function wordsOf(result) {
  const value = valueOf(result);
  const told = value && typeof value === "object" ? value.error : undefined;
  return typeof told === "string" ? told : textOf(result) || "The call failed.";
}
