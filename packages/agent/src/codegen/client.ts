import { propertyName } from "@toolplane/core/lib/json/schema-type";
import { createToolPaths } from "@toolplane/core/model/catalogue/tool-paths";
import { callOverHttpText, outcomeTypesText } from "./runtime.ts";
import { comment, type NamedTypes } from "./tool-types.ts";

/** Names that the text itself uses. */
export const reservedNames = [
  "Client",
  "Plane",
  "Address",
  "CallOptions",
  "Fetch",
  "Outcome",
  "Content",
  "ToolAnswer",
  "ToolError",
  "Tools",
  "ToolName",
  "Promise",
  "Error",
  "Object",
  "Array",
  "JSON",
  "String",
];

type Method = { key: string; types: NamedTypes };

/** A client with a method for each tool: `client.server.tool(args)`. */
export function renderClient(types: readonly NamedTypes[]): string {
  const { pathOf } = createToolPaths(types.map(({ tool }) => tool));
  const groups = new Map<string, Method[]>();
  const own: Method[] = [];
  for (const one of types) {
    const [group = "", key] = pathOf(one.tool.id);
    if (key === undefined) own.push({ key: group, types: one });
    else groups.set(group, [...(groups.get(group) ?? []), { key, types: one }]);
  }
  const free = uniqueKeys([...groups.keys()]);
  const named = [...groups].map(([group, methods]) => ({
    key: free(group),
    methods: renamed(methods),
  }));
  // A client with a method `then` would be taken for a promise.
  const single = own.map((method) => ({
    ...method,
    key: free(method.key === "then" ? "then_" : method.key),
  }));
  const declared = [
    ...single.map((method) => declareMethod(method, "  ")),
    ...named.map(
      ({ key, methods }) =>
        `  readonly ${propertyName(key)}: {\n${methods.map((method) => declareMethod(method, "    ")).join("\n")}\n  };`,
    ),
  ];
  const made = [
    ...single.map((method) => makeMethod(method, "    ")),
    ...named.map(
      ({ key, methods }) =>
        `    ${literalKey(key)}: {\n${methods.map((method) => makeMethod(method, "      ")).join("\n")}\n    },`,
    ),
  ];
  return [
    outcomeTypesText,
    `/** One method for each tool. It throws a \`ToolError\` where the call did not succeed. */
export type Client = {
${declared.join("\n")}
};`,
    createClientText(made),
    callOverHttpText,
  ].join("\n\n");
}

function uniqueKeys(taken: readonly string[]): (key: string) => string {
  const used = new Set<string>();
  return (key) => {
    let free = key;
    while (used.has(free) || (free !== key && taken.includes(free))) free = `${free}_`;
    used.add(free);
    return free;
  };
}

function renamed(methods: readonly Method[]): Method[] {
  const free = uniqueKeys(methods.map(({ key }) => key));
  return methods.map((method) => ({ ...method, key: free(method.key) }));
}

function declareMethod({ key, types: { tool, input, output } }: Method, indent: string): string {
  const { required } = tool.parameters;
  const mark = Array.isArray(required) && required.length > 0 ? "" : "?";
  const note = comment(tool.description, [], indent);
  return `${note}${indent}${propertyName(key)}(args${mark}: ${input}, options?: CallOptions): Promise<ToolAnswer<${output}>>;`;
}

function makeMethod({ key, types: { tool } }: Method, indent: string): string {
  return `${indent}${literalKey(key)}: (args, options) => call(${JSON.stringify(tool.name)}, args, options),`;
}

/** In an object literal a plain `__proto__` would set the prototype. */
const literalKey = (key: string) => (key === "__proto__" ? '["__proto__"]' : propertyName(key));

const createClientText = (made: readonly string[]) => `/**
 * A client over a plane of the library, or over the HTTP API of one that serves.
 * @example
 * const client = createClient({ url: "http://127.0.0.1:7420" });
 */
export function createClient(to: Plane | Address): Client {
  const ask = async (tool: string, args: unknown, options: CallOptions): Promise<Outcome> =>
    "call" in to ? to.call(tool, args ?? {}, options) : callOverHttp(to, tool, args, options);
  const call = async <Data>(tool: string, args: unknown, options: CallOptions = {}): Promise<ToolAnswer<Data>> => {
    const outcome = await ask(tool, args, options);
    if (!outcome.ok || outcome.result === undefined) throw new ToolError(tool, outcome);
    const { content, structuredContent } = outcome.result;
    const text = content.flatMap((block) => (block.type === "text" ? [String(block.text)] : [])).join("\\n");
    return { data: (structuredContent ?? text) as Data, text, content, callId: outcome.call.id };
  };
  return {
${made.join("\n")}
  };
}`;
