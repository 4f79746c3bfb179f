// The same call written with the official client library.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const client = new Client({ name: "sdk", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: [process.argv[2]] }),
);
const { content } = await client.callTool({ name: "echo", arguments: { message: "hello" } });
process.stdout.write(`${content[0].text}\n`);
await client.close();
