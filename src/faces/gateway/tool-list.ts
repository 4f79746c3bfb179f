import { isObject, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { ToolListing } from "../../model/plane-tools.ts";
import type { Principal } from "../../model/principal.ts";
import type { ServerStatus } from "../../model/servers/server.ts";
import type { Era } from "../../protocol/session.ts";
import { isInView, type View } from "./view.ts";
import { changeResult, completed } from "./wire.ts";

/** Later lists are announced by a notification. */
export const defaultWaitMs = 1_000;
/** Many clients ask only once, so a first list is worth waiting for where there is nothing yet. */
export const firstWaitMs = 10_000;

export type FirstWait<Item> = <T extends readonly Item[]>(
  principal: Principal,
  list: (waitMs: number) => Promise<T>,
) => Promise<T>;

type Told<Item> = {
  /** Has the server never listed this? */
  isUnseen(status: ServerStatus): boolean;
  isTheirs(item: Item): boolean;
};

/**
 * One slow server does not hide the lists of others. A new one is waited for once, where no other has listed; one that
 * hangs
 * delays only the first client.
 */
export function createFirstWait<Item>(
  plane: Pick<Plane, "servers">,
  { isUnseen, isTheirs }: Told<Item>,
): FirstWait<Item> {
  const waitedFor = new Set<string>();
  return async (principal, list) => {
    const unseen = (await plane.servers.list({ principal })).filter(
      (status) =>
        isUnseen(status) &&
        status.state !== "disabled" &&
        status.state !== "config_error" &&
        !waitedFor.has(status.name),
    );
    for (const { name } of unseen) waitedFor.add(name);
    const found = await list(defaultWaitMs);
    const isAll = unseen.length === 0 || found.some(isTheirs);
    return isAll ? found : list(firstWaitMs);
  };
}

type ToolWait = FirstWait<{ id: { server: string | null } }>;

export function createToolWait(plane: Pick<Plane, "servers">): ToolWait {
  return createFirstWait(plane, {
    isUnseen: ({ listedAt }) => listedAt === null,
    isTheirs: ({ id }) => id.server !== null,
  });
}

/** After this, old listings are asked for again; a known change counts at once. */
const freshMs = 10_000;
/** How long a client may rely on a list; listeners are notified of changes. */
export const listTtlMs = 30_000;

const waits = ["none", "short", "long"] as const;
/** Not at all, as usual, or until new servers have listed. */
export type Wait = (typeof waits)[number];
const waitMsOf = { none: 1, short: defaultWaitMs } as const;

export type ToolList = {
  /** The result of `tools/list`, rendered once per surface. */
  text(era: Era): Promise<string>;
  find(name: string): Promise<ToolListing | undefined>;
  /** By shown name; the same map until something changes. */
  named(wait?: Wait): Promise<ReadonlyMap<string, ToolListing>>;
  /** Do listed names mean the same to the plane, with nothing left out? */
  readonly isWhole: boolean;
};

type Loaded = {
  revision: number;
  at: number;
  named: ReadonlyMap<string, ToolListing>;
  texts: Partial<Record<Era, string>>;
  waited: Wait;
};

export function createToolList(
  plane: Plane,
  principal: Principal,
  view: View,
  revision: () => number,
  firstWait: ToolWait,
): ToolList {
  let loaded: Loaded | undefined;
  const loading = new Map<Wait, Promise<Loaded>>();

  async function ask(wait: Wait): Promise<Loaded> {
    const before = revision();
    const list = (waitMs: number) => plane.tools.list({ principal, face: "mcp", waitMs });
    const tools = await (wait === "long" ? firstWait(principal, list) : list(waitMsOf[wait]));
    const shown = tools.filter((tool) => isInView(tool, view, plane));
    const named = nameTools(shown, view.names);
    loaded = { revision: before, at: Date.now(), named, texts: {}, waited: wait };
    return loaded;
  }

  function load(wait: Wait): Loaded | Promise<Loaded> {
    const isFresh = loaded && loaded.revision === revision() && Date.now() - loaded.at < freshMs;
    if (loaded && isFresh && waits.indexOf(loaded.waited) >= waits.indexOf(wait)) return loaded;
    const begun = loading.get(wait) ?? ask(wait).finally(() => loading.delete(wait));
    loading.set(wait, begun);
    return begun;
  }

  return {
    isWhole: view.toolset === null && view.names === "prefixed",
    async text(era) {
      const { named, texts } = await load("long");
      texts[era] ??= JSON.stringify(renderTools(named, era));
      return texts[era];
    },
    find: async (name) => (await load("short")).named.get(name),
    named: async (wait = "short") => (await load(wait)).named,
  };
}

/** A tool's own name is shown where it is unique, also among whole names. */
function nameTools(tools: readonly ToolListing[], names: View["names"]): Map<string, ToolListing> {
  if (names === "prefixed") return new Map(tools.map((tool) => [tool.modelName, tool]));
  const owners = new Map<string, number>();
  for (const { id, modelName } of tools)
    for (const name of new Set([id.tool, modelName])) owners.set(name, (owners.get(name) ?? 0) + 1);
  return new Map(tools.map((tool) => [owners.get(tool.id.tool) === 1 ? tool.id.tool : tool.modelName, tool]));
}

function renderTools(named: ReadonlyMap<string, ToolListing>, era: Era): UnknownObject {
  return renderList(
    [...named].map(([name, tool]) => renderTool(name, tool, era)),
    era,
  );
}

export function renderList(tools: readonly UnknownObject[], era: Era): UnknownObject {
  return era === "legacy" ? { tools } : completed({ tools, ttlMs: listTtlMs, cacheScope: "private" });
}

export function renderTool(name: string, tool: ToolListing, era: Era): UnknownObject {
  const { title, description, parameters, outputSchema, annotations, listed, stale } = tool;
  return {
    ...listed,
    ...(stale ? { _meta: { ...metaOf(listed), "toolplane/stale": true } } : {}),
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: parameters,
    ...(outputSchema === undefined ? {} : { outputSchema: renderOutput(outputSchema, era) }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

function metaOf(listed: JsonObject | undefined): UnknownObject {
  return isObject(listed?._meta) ? listed._meta : {};
}

/** Before the modern revision, an output is an object. */
function renderOutput(schema: JsonObject, era: Era): JsonObject {
  if (era === "modern" || isObjectSchema(schema)) return schema;
  return { type: "object", properties: { result: schema }, required: ["result"] };
}

function isObjectSchema({ type }: JsonObject): boolean {
  return type === "object" || type === undefined;
}

/** In the same words as the tool's listing. */
export function fitResult(result: UnknownObject, schema: JsonObject | undefined, era: Era): UnknownObject {
  const { structuredContent } = result;
  const isWrapped = era === "legacy" && schema !== undefined && !isObjectSchema(schema);
  if (!isWrapped || structuredContent === undefined || isObject(structuredContent)) return result;
  const wrapped = { ...result, structuredContent: { result: structuredContent } };
  return changeResult(result, wrapped, { structuredContent: (before) => `{"result":${before}}` });
}
