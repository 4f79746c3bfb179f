// A stdio MCP server on raw JSON-RPC. `blob` answers with as many characters as asked for.
let buffered = "";
const text = { type: "string" };
const tools = [
  {
    name: "echo",
    description: "Returns the message.",
    inputSchema: { type: "object", properties: { message: text }, required: ["message"] },
  },
  {
    name: "blob",
    description: "Returns so many characters.",
    inputSchema: { type: "object", properties: { size: { type: "integer" } }, required: ["size"] },
  },
];
const [extra, startMs] = process.argv.slice(2).map(Number);
for (let at = 0; at < (extra ?? 0); at++)
  tools.push({
    ...tools[0],
    name: `echo_${at}`,
    description: `Returns the message, the ${at}th way of doing so.`,
  });
const blobs = new Map();
const blobOf = (size) => {
  if (!blobs.has(size))
    blobs.set(
      size,
      JSON.stringify({
        content: [{ type: "text", text: "lorem ipsum ".repeat(Math.ceil(size / 12)).slice(0, size) }],
      }),
    );
  return blobs.get(size);
};
const answers = {
  initialize: ({ protocolVersion }) =>
    JSON.stringify({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "echo", version: "1.0.0" },
    }),
  "tools/list": () => JSON.stringify({ tools }),
  "tools/call": ({ name, arguments: args }) =>
    name === "blob" ? blobOf(args.size) : JSON.stringify({ content: [{ type: "text", text: args.message }] }),
  ping: () => "{}",
};
// A server that takes its time to start, as those do that load a large library.
if (startMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, startMs);
process.stdin.on("data", (chunk) => {
  const lines = (buffered + chunk).split("\n");
  buffered = lines.pop();
  let out = "";
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const answer = answers[method];
    out += answer
      ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answer(params ?? {})}}\n`
      : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"Method not found"}}\n`;
  }
  if (out) process.stdout.write(out);
});
process.stdin.on("end", () => process.exit(0));
