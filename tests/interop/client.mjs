// The TypeScript SDK's client: connects to the server named in the first argument, sends the requests named in the
// second, and prints what the client library made of each answer.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [server, requests] = process.argv.slice(2).map((argument) => JSON.parse(argument));
const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: server.headers } })
  : new StdioClientTransport({ ...server, stderr: "ignore" });

const client = new Client({ name: "interop", version: "0" }, { capabilities: {} });

const send = {
  list: async () => {
    const { tools } = await client.listTools();
    return tools;
  },
  call: ({ name, arguments: given }) => client.callTool({ name, arguments: given }),
  ping: () => client.ping(),
};

await client.connect(transport);
const answers = [];
for (const request of requests) {
  try {
    answers.push({ result: await send[request.do](request) });
  } catch (error) {
    answers.push({ error: { code: error.code, message: error.message } });
  }
}
const about = { server: client.getServerVersion(), capabilities: client.getServerCapabilities() };
await client.close();
console.log(JSON.stringify({ about, answers }));
