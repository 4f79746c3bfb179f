import { createInterface } from "node:readline";

/** An MCP server whose tools answer with ten megabytes, each in another form. */
const bytes = 10_000_000;
const row = (at: number) => ({
  id: at,
  name: `customer ${at}`,
  mail: `customer-${at}@example.org`,
  note: "x".repeat(40),
});
const rows = Array.from({ length: Math.floor(bytes / 150) }, (_, at) => row(at));

/** No table: each name has another thing below it. */
const tree = Object.fromEntries(
  rows.slice(0, rows.length * 0.7).map((one) => [`customer-${one.id}`, { at: one.id, of: one }]),
);

const results: Record<string, () => object> = {
  lines: () => ({
    content: [
      { type: "text", text: "one line of a log, as long as they are\n".repeat(bytes / 40) },
    ],
  }),
  one_line: () => ({ content: [{ type: "text", text: "word ".repeat(bytes / 5) }] }),
  json: () => ({ content: [{ type: "text", text: JSON.stringify(rows) }] }),
  tree: () => ({ content: [{ type: "text", text: JSON.stringify(tree) }] }),
  structured: () => ({
    content: [{ type: "text", text: "See the structured content." }],
    structuredContent: { rows },
  }),
};

const answers: Record<string, (params: { protocolVersion?: string; name?: string }) => object> = {
  initialize: ({ protocolVersion = "2025-06-18" }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "large", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: Object.keys(results).map((name) => ({
      name,
      description: "Large.",
      inputSchema: { type: "object" },
    })),
  }),
  "tools/call": ({ name = "" }) => results[name]?.() ?? {},
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
