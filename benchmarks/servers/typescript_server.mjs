// The smallest server on the TypeScript SDK's low-level `Server`: one tool that does nothing, over stdio.
// Its argument is the node_modules folder: modules are not looked up there by name from this file's place.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const sdk = join(resolve(process.argv[2]), "@modelcontextprotocol", "sdk", "dist", "esm");
const load = (...parts) => import(pathToFileURL(join(sdk, ...parts)).href);

const { Server } = await load("server", "index.js");
const { StdioServerTransport } = await load("server", "stdio.js");
const { CallToolRequestSchema, ListToolsRequestSchema } = await load("types.js");

const noop = { name: "noop", description: "Does nothing", inputSchema: { type: "object", properties: {} } };

const server = new Server({ name: "noop", version: "0.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [noop] }));
server.setRequestHandler(CallToolRequestSchema, async () => ({
  content: [{ type: "text", text: '{"ok": true}' }],
  structuredContent: { ok: true },
}));
await server.connect(new StdioServerTransport());
