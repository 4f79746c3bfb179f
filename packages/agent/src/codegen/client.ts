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
  const topLevel: Method[] = [];
  for (const toolTypes of types) {
    const [group = "", key] = pathOf(toolTypes.tool.id);
    if (key === undefined) topLevel.push({ key: group, types: toolTypes });
    else groups.set(group, [...(groups.get(group) ?? []), { key, types: toolTypes }]);
  }
  const freeKey = uniqueKeys([...groups.keys()]);
  const groupMethods = [...groups].map(([group, methods]) => ({
    key: freeKey(group),
    methods: withUniqueKeys(methods),
  }));
  // A client with a method `then` would be taken for a promise.
  const topLevelMethods = topLevel.map((method) => ({
    ...method,
    key: freeKey(method.key === "then" ? "then_" : method.key),
  }));
  const declarations = [
    ...topLevelMethods.map((method) => declareMethod(method, "  ")),
    ...groupMethods.map(
      ({ key, methods }) =>
        `  readonly ${propertyName(key)}: {\n${methods.map((method) => declareMethod(method, "    ")).join("\n")}\n  };`,
    ),
  ];
  const implementations = [
    ...topLevelMethods.map((method) => makeMethod(method, "    ")),
    ...groupMethods.map(
      ({ key, methods }) =>
        `    ${literalKey(key)}: {\n${methods.map((method) => makeMethod(method, "      ")).join("\n")}\n    },`,
    ),
  ];
  return [
    outcomeTypesText,
    `/** One method for each tool. It throws a \`ToolError\` where the call did not succeed. */
export type Client = {
${declarations.join("\n")}
};`,
    createClientText(implementations),
    callOverHttpText,
  ].join("\n\n");
}

function uniqueKeys(allKeys: readonly string[]): (key: string) => string {
  const used = new Set<string>();
  return (key) => {
    let free = key;
    while (used.has(free) || (free !== key && allKeys.includes(free))) free = `${free}_`;
    used.add(free);
    return free;
  };
}

function withUniqueKeys(methods: readonly Method[]): Method[] {
  const freeKey = uniqueKeys(methods.map(({ key }) => key));
  return methods.map((method) => ({ ...method, key: freeKey(method.key) }));
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

const createClientText = (implementations: readonly string[]) => `/**
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
${implementations.join("\n")}
  };
}`;
