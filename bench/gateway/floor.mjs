// The least a gateway can do: parse the request, give it an id of its own, forward the bytes of the result.
// No policy, no record, no health. `node floor.mjs SERVERS SCRIPT [ARGS…]` prints its address; with several servers their
// tools are called sN__TOOL.
import { spawn } from "node:child_process";
import { createServer } from "node:http";

const [count, ...command] = process.argv.slice(2);
const waiting = new Map();
let lastId = 0;
const newline = 10;

const children = Array.from({ length: Number(count) }, () => {
  const child = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "inherit"] });
  let pieces = [];
  child.stdout.on("data", (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      const tail = chunk.subarray(from, end);
      take(pieces.length === 0 ? tail : Buffer.concat([...pieces, tail]));
      pieces = [];
      from = end + 1;
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from));
  });
  return child;
});

function take(line) {
  const head = line.toString("latin1", 0, 64);
  const id = Number(/"id":(\d+)/.exec(head)?.[1]);
  const { response, own } = waiting.get(id) ?? {};
  if (!response) return;
  waiting.delete(id);
  const start = head.indexOf(',"', head.indexOf('"id":'));
  const before = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(own)}`);
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": before.length + line.length - start,
  });
  response.write(before);
  response.end(line.subarray(start));
}

const initialized = JSON.stringify({
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "floor", version: "1.0.0" },
});

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const message = JSON.parse(Buffer.concat(chunks).toString());
    if (message.id === undefined) return response.writeHead(202).end();
    if (message.method === "initialize") {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "floor" });
      return response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${initialized}}`);
    }
    const id = ++lastId;
    waiting.set(id, { response, own: message.id });
    const [, number, name] = /^s(\d+)__(.*)$/.exec(message.params?.name ?? "") ?? [];
    if (name !== undefined) message.params.name = name;
    children[Number(number ?? 0)].stdin.write(`${JSON.stringify({ ...message, id })}\n`);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.on("SIGTERM", () => {
  for (const child of children) child.kill();
  process.exit(0);
});
