import type { ProviderSpec, Tool, ToolId } from "../../model/catalogue/tool.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { hideInjected } from "../sources/hide-injected.ts";
import { oursFor } from "../sources/injection-rules.ts";
import type { NamelessTool } from "../sources/mcp.ts";
import { type Described, unique, withLocalArguments } from "./overlay.ts";

/** A tool of a server as it is called through one of its providers. */
type Wrapped = { base: Described; argumentMap: unknown };

/** A hand-written tool, completed by what is known of the servers' tools that it calls. */
export function completeWrapper(
  { local, ...tool }: NamelessTool,
  find: (id: ToolId) => Described | undefined,
): Described {
  const wrapped = wrappedBy(tool.providers).flatMap(({ id, argumentMap }): Wrapped[] => {
    const base = find(id);
    return base === undefined ? [] : [{ base, argumentMap }];
  });
  const [first] = wrapped;
  const completed = first === undefined ? { tool, fixed: {} } : inherit(tool, first, wrapped);
  return withLocalArguments(completed, local ?? []);
}

/** The servers whose tools it calls and that have not listed them. */
export function unlistedServers(
  { id, providers }: Pick<Tool, "id" | "providers">,
  find: (id: ToolId) => unknown,
): string[] {
  if (id.server !== null) return [];
  const unknown = wrappedBy(providers).filter((wrapped) => find(wrapped.id) === undefined);
  return unique(unknown.map((wrapped) => wrapped.id.server));
}

function wrappedBy(providers: readonly ProviderSpec[]) {
  return providers
    .filter(({ name }) => name === "mcp")
    .map(({ config: { server, tool, argumentMap } }) => ({
      id: { server: String(server), tool: String(tool) },
      argumentMap,
    }));
}

function inherit(tool: NamelessTool, first: Wrapped, wrapped: readonly Wrapped[]): Described {
  const saysNothing = Object.keys(tool.parameters).length === 1 && tool.parameters.type === "object";
  // Of several ways none can speak for the others.
  const isSilent = saysNothing && tool.providers.length === 1;
  const own = isSilent ? renamed(first.base.tool.parameters, first.argumentMap) : tool.parameters;
  const fixed = Object.fromEntries(
    wrapped.flatMap(({ base, argumentMap }) =>
      Object.entries(base.fixed).flatMap(([theirs, value]) =>
        named(theirs, argumentMap).map((ours) => [ours, value] as const),
      ),
    ),
  );
  const of = (list: "injects" | "reserved") =>
    wrapped.flatMap(({ base, argumentMap }) => base.tool[list].flatMap((name) => named(name, argumentMap)));
  const reserved = unique([...tool.reserved, ...of("reserved")]);
  const { parameters, injects } = hideInjected(own, reserved);
  const defaults = isSilent && first.argumentMap === undefined ? first.base.tool.defaults : undefined;
  return {
    tool: {
      ...tool,
      parameters,
      injects: unique([...tool.injects, ...injects, ...of("injects")]),
      reserved,
      ...(defaults === undefined ? {} : { defaults }),
    },
    fixed,
  };
}

function named(theirs: string, argumentMap: unknown): string[] {
  return [oursFor(theirs, argumentMap)].filter((name) => name !== undefined);
}

/** A schema under the names that our callers know. One that is put together from parts says nothing here. */
function renamed(schema: JsonObject, argumentMap: unknown): JsonObject {
  if (!isObject(argumentMap)) return schema;
  const isPlain = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentRequired", "dependentSchemas"].every(
    (key) => schema[key] === undefined,
  );
  if (!isPlain) return { type: "object" };
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    ...schema,
    properties: Object.fromEntries(
      properties.flatMap(([theirs, inner]) => named(theirs, argumentMap).map((ours) => [ours, inner])),
    ) as JsonObject,
    required: required.flatMap((theirs) => named(String(theirs), argumentMap)),
  };
}
