import { passesFilter } from "../../lib/glob.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { Plane, ToolListing } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { Era } from "../../protocol/session.ts";
import { completed } from "./describe.ts";
import { toolsetOf, type View } from "./view.ts";

/** What is not known by then is told with a notification. */
const patienceMs = 1_000;
/** After this, servers whose listing is old are asked again; a change that is known counts at once. */
const freshMs = 10_000;
/** How long a client may rely on a list without asking; it is told of changes if it listens. */
export const listTtlMs = 30_000;

export type ToolList = {
  /** The result of `tools/list`, written once for everybody who sees the same. */
  text(era: Era): Promise<string>;
  find(name: string): Promise<ToolListing | undefined>;
  /** Does a name that is listed here mean the same to the plane, and is nothing left out? */
  readonly isWhole: boolean;
};

type Loaded = {
  revision: number;
  at: number;
  named: ReadonlyMap<string, ToolListing>;
  texts: Partial<Record<Era, string>>;
};

/** The tools that one caller sees in one view. */
export function createToolList(
  plane: Plane,
  principal: Principal,
  view: View,
  revision: () => number,
): ToolList {
  let loaded: Loaded | undefined;
  let loading: Promise<Loaded> | undefined;

  async function ask(): Promise<Loaded> {
    const before = revision();
    const tools = await plane.tools({ principal, face: "mcp", patienceMs });
    const allowed = view.toolset === null ? null : toolsetOf(view.toolset, plane).allow_tools;
    const shown = tools.filter(({ id }) => passesFilter(id.tool, allowed, null));
    loaded = { revision: before, at: Date.now(), named: nameTools(shown, view.names), texts: {} };
    return loaded;
  }

  function load(): Loaded | Promise<Loaded> {
    if (loaded && loaded.revision === revision() && Date.now() - loaded.at < freshMs) return loaded;
    loading ??= ask().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  return {
    isWhole: view.toolset === null && view.names === "prefixed",
    async text(era) {
      const { named, texts } = await load();
      texts[era] ??= JSON.stringify(renderTools(named, era));
      return texts[era];
    },
    find: async (name) => (await load()).named.get(name),
  };
}

/** A tool's own name is shown where no other has it, also not as its whole name. */
function nameTools(tools: readonly ToolListing[], names: View["names"]): Map<string, ToolListing> {
  if (names === "prefixed") return new Map(tools.map((tool) => [tool.modelName, tool]));
  const owners = new Map<string, number>();
  for (const { id, modelName } of tools)
    for (const name of new Set([id.tool, modelName])) owners.set(name, (owners.get(name) ?? 0) + 1);
  return new Map(tools.map((tool) => [owners.get(tool.id.tool) === 1 ? tool.id.tool : tool.modelName, tool]));
}

function renderTools(named: ReadonlyMap<string, ToolListing>, era: Era): UnknownObject {
  const tools = [...named].map(([name, tool]) => renderTool(name, tool, era));
  return era === "legacy" ? { tools } : completed({ tools, ttlMs: listTtlMs, cacheScope: "private" });
}

function renderTool(name: string, tool: ToolListing, era: Era): UnknownObject {
  const { title, description, parameters, outputSchema, annotations, listed } = tool;
  return {
    ...listed,
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: parameters,
    ...(outputSchema === undefined ? {} : { outputSchema: renderOutput(outputSchema, era) }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** Before the later revision, what a tool puts out is an object. */
function renderOutput(schema: JsonObject, era: Era): JsonObject {
  if (era === "modern" || isObjectSchema(schema)) return schema;
  return { type: "object", properties: { result: schema }, required: ["result"] };
}

function isObjectSchema({ type }: JsonObject): boolean {
  return type === "object" || type === undefined;
}

/** The result of a tool in the same words as its listing. */
export function fitResult(result: UnknownObject, schema: JsonObject | undefined, era: Era): UnknownObject {
  const { structuredContent } = result;
  const isWrapped = era === "legacy" && schema !== undefined && !isObjectSchema(schema);
  if (!isWrapped || structuredContent === undefined || isObject(structuredContent)) return result;
  return { ...result, structuredContent: { result: structuredContent } };
}
