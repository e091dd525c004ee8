// A client that shows panels, on the official bridge for hosts: one frame, closed off as MCP Apps asks, and every call of
// the panel passed on to `window.server`, which the test gives.
import { AppBridge, PostMessageTransport, getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";

const domains = (named) => (named ?? []).join(" ");

// The policy that a host makes from what a panel declares.
function policy(csp) {
  const resources = domains(csp.resourceDomains);
  return [
    "default-src 'none'",
    `script-src 'unsafe-inline' ${resources}`,
    `style-src 'unsafe-inline' ${resources}`,
    `img-src data: ${resources}`,
    `connect-src ${domains(csp.connectDomains) || "'none'"}`,
    "frame-src 'none'; object-src 'none'; base-uri 'none'",
  ].join("; ");
}

window.heard = [];
window.panelOf = getToolUiResourceUri;

window.showPanel = async ({ contents, context, capabilities, given, result }) => {
  const frame = document.createElement("iframe");
  frame.id = "panel";
  frame.title = "Panel";
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = "width: 100%; border: 0; display: block";
  document.body.replaceChildren(frame);

  const bridge = new AppBridge(null, { name: "host", version: "0" }, capabilities, { hostContext: context });
  const begun = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  bridge.oncalltool = (params) => window.server("tools/call", params);
  bridge.onreadresource = (params) => window.server("resources/read", params);
  bridge.onupdatemodelcontext = async (params) => {
    window.heard.push(params.content[0].text);
    return {};
  };
  bridge.addEventListener("sizechange", ({ height }) => {
    frame.style.height = `${height}px`;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  const head = `<head><meta http-equiv="Content-Security-Policy" content="${policy(contents._meta.ui.csp)}">`;
  frame.srcdoc = contents.text.replace("<head>", head);
  await begun;
  await bridge.sendToolInput({ arguments: given });
  await bridge.sendToolResult(result);
  window.bridge = bridge;
};
