/** One of five services with twelve tools each, as their servers have them. Argument: NAME */
import { createInterface } from "node:readline";

const [name = "mail"] = process.argv.slice(2);
const nouns = ["message", "folder", "rule", "contact"];
const text = (description) => ({ type: "string", description });
const page = {
  cursor: text(
    "The cursor of the next page, as an earlier answer of this tool gave it; the first page when left out.",
  ),
  limit: {
    type: "integer",
    minimum: 1,
    maximum: 100,
    description: "How many to return on one page, 20 when left out.",
  },
};
const verbs = {
  list: (noun) => ({
    description: `Lists the ${noun}s of the account in ${name}, newest first, with their ids and titles. Use the cursor to go on to the next page.`,
    properties: { ...page, query: text(`Only ${noun}s whose title or body contain these words.`) },
    required: [],
  }),
  get: (noun) => ({
    description: `Returns one ${noun} of ${name} with all of its fields: title, body, labels, people and times.`,
    properties: {
      id: text(`The id of the ${noun}, as list_${noun}s gives it.`),
      fields: { type: "array", items: { type: "string" }, description: "Only these fields." },
    },
    required: ["id"],
  }),
  update: (noun) => ({
    description: `Changes a ${noun} of ${name}. Fields that are left out stay as they are; the whole ${noun} is returned.`,
    properties: {
      id: text(`The id of the ${noun}.`),
      title: text("The new title."),
      body: text("The new body, as Markdown."),
      labels: { type: "array", items: { type: "string" } },
    },
    required: ["id"],
  }),
};
const tools = nouns.flatMap((noun) =>
  Object.entries(verbs).map(([verb, describe]) => {
    const { description, properties, required } = describe(noun);
    const own = verb === "list" ? `list_${noun}s` : `${verb}_${noun}`;
    return {
      name: own,
      description,
      inputSchema: { type: "object", properties, required },
      annotations: { readOnlyHint: verb !== "update" },
    };
  }),
);

const body =
  "The figures of the quarter are in. Please look at the second table before Friday, and tell Ann if a row is missing. ".repeat(
    8,
  );
const record = (id) => ({
  id,
  title: `Report ${id}`,
  body,
  labels: ["finance", "quarter"],
  people: ["ann@example.org", "bob@example.org"],
  amount: 10 * Number(id),
  at: "2026-11-16T09:00:00Z",
});

function answer(tool, args) {
  if (tool.startsWith("list_"))
    return {
      items: [1, 2, 3, 4, 5].map((id) => ({
        id: String(id),
        title: `Report ${id}`,
        at: "2026-11-16T09:00:00Z",
      })),
      next: null,
    };
  return record(args?.id ?? "1");
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name, version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name: tool, arguments: args }) => ({
    content: [{ type: "text", text: JSON.stringify(answer(tool, args)) }],
  }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const run = methods[method];
  const reply = run ? { result: run(params) } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
}
