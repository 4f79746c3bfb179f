import { sideEffects, type ToolManifest } from "../../src/model/catalogue/tool.ts";

const topics = [
  "invoice",
  "ticket",
  "branch",
  "calendar",
  "page",
  "contact",
  "report",
  "deployment",
];
const verbs = ["list", "get", "create", "update", "delete", "search", "export", "archive"];

/** A listed tool of an ordinary size: a sentence and five parameters, about 900 characters of JSON. */
export function listedTool(server: number, at: number) {
  const verb = verbs[at % verbs.length];
  const topic = topics[(at >> 3) % topics.length];
  const name = `${verb}_${topic}_${at}`;
  return {
    name,
    title: `${verb} ${topic}`,
    description: `Will ${verb} a ${topic} of team ${server}. Say which one by its number; the answer is one record.`,
    inputSchema: {
      type: "object",
      properties: {
        id: {
          type: "string",
          description: `The number of the ${topic}`,
          minLength: 1,
          maxLength: 64,
        },
        team: {
          type: "string",
          description: "Whose it is",
          enum: ["north", "south", `team-${server}`],
        },
        limit: {
          type: "integer",
          description: "How many at most",
          minimum: 1,
          maximum: 500,
          default: 50,
        },
        fields: { type: "array", description: "What to tell of it", items: { type: "string" } },
        options: {
          type: "object",
          properties: { deep: { type: "boolean" }, since: { type: "string", format: "date-time" } },
        },
      },
      required: ["id", "team"],
    },
    annotations: { readOnlyHint: at % 2 === 0 },
  };
}

/** The same written by hand, with everything that can be asked for. */
export function manifest(server: number, at: number): ToolManifest {
  const { name, description, inputSchema } = listedTool(server, at);
  return {
    name: `team${server}_${name}`,
    description,
    parameters: inputSchema as ToolManifest["parameters"],
    version: `${1 + (at % 3)}.${at % 10}.0${at % 7 === 0 ? "-beta" : ""}`,
    side_effects: sideEffects[at % sideEffects.length] ?? "none",
    auth: { required: false },
    allow_parallel: true,
    idempotency_key: false,
    requires_consent: false,
    safety_level: (["low", "medium", "high"] as const)[at % 3] ?? "low",
    capabilities: [topics[at % topics.length] ?? "", `level-${at % 5}`],
    providers: [
      { name: at % 2 === 0 ? "mcp" : "http", priority: 0, health_check_interval: 300, config: {} },
      { name: "openai", priority: 10, health_check_interval: 300, config: { model: "any" } },
    ],
  };
}
