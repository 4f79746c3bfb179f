import { steadyNow } from "../../lib/async/steady-time.ts";
import { isForModels } from "../../model/catalogue/tool-page.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { ShownTool } from "../../model/plane-tools.ts";
import type { Principal } from "../../model/principal.ts";
import type { ServerStatus } from "../../model/servers/server-schema.ts";
import type { Era } from "../../protocol/session.ts";
import { showLinks } from "./apps/addresses.ts";
import { isInView, type View } from "./view.ts";
import { changeResult, completed } from "./wire.ts";

/** Later lists are announced by a notification. */
export const defaultWaitMs = 1_000;
/** Many clients ask only once, so a first list is worth waiting for where there is nothing yet. */
export const firstWaitMs = 10_000;

/** Servers that are switched on, trusted, and have no mistake in their configuration. */
export async function serversOf(
  { servers }: Pick<Plane, "servers">,
  principal: Principal,
): Promise<ServerStatus[]> {
  const statuses = await servers.list({ principal });
  return statuses.filter(({ state }) => !["disabled", "config_error", "untrusted"].includes(state));
}

export type FirstWait<Item> = <T extends readonly Item[]>(
  principal: Principal,
  list: (waitMs: number) => Promise<T>,
) => Promise<T>;

/**
 * One slow server does not hide the lists of others. A new one is waited for once, where no other has listed; one that
 * hangs delays only the first client.
 */
export function createFirstWait<Item>(
  plane: Pick<Plane, "servers">,
  isUnseen: (status: ServerStatus) => boolean,
  isTheirs: (item: Item) => boolean = () => true,
): FirstWait<Item> {
  const waitedFor = new Set<string>();
  return async (principal, list) => {
    const isNew = (status: ServerStatus) => isUnseen(status) && !waitedFor.has(status.name);
    const unseen = (await serversOf(plane, principal)).filter(isNew);
    for (const { name } of unseen) waitedFor.add(name);
    const listed = await list(defaultWaitMs);
    const isEnough = unseen.length === 0 || listed.some(isTheirs);
    return isEnough ? listed : list(firstWaitMs);
  };
}

export function createToolWait(plane: Pick<Plane, "servers">) {
  return createFirstWait<{ id: { server: string | null } }>(
    plane,
    ({ listedAt }) => listedAt === null,
    ({ id }) => id.server !== null,
  );
}

/** After this, old listings are asked for again; a known change counts at once. */
const freshMs = 10_000;
/** How long a client may rely on a list; listeners are notified of changes. */
export const listTtlMs = 30_000;

const waits = ["none", "short", "long"] as const;
/** Not at all, as usual, or until new servers have listed. */
export type Wait = (typeof waits)[number];
const waitMsOf = { none: 1, short: defaultWaitMs } as const;

export type ToolList = ReturnType<typeof createToolList>;

/** A client without pages does not get the tools that only pages call. */
export type ListTexts = Partial<Record<`${Era} ${"host" | "plain"}`, string>>;

type Loaded = {
  revision: number;
  loadedAt: number;
  named: ReadonlyMap<string, ShownTool>;
  texts: ListTexts;
  waited: Wait;
};

export function createToolList(
  plane: Plane,
  principal: Principal,
  view: View,
  revision: () => number,
  firstWait: ReturnType<typeof createToolWait>,
) {
  let loaded: Loaded | undefined;
  const loading = new Map<Wait, Promise<Loaded>>();

  async function loadNow(wait: Wait): Promise<Loaded> {
    const revisionBefore = revision();
    const list = (waitMs: number) =>
      plane.tools.list({ principal, face: "mcp", waitMs, brief: true });
    const tools = await (wait === "long" ? firstWait(principal, list) : list(waitMsOf[wait]));
    const shown = tools.filter((tool) => isInView(tool, view, plane));
    loaded = {
      revision: revisionBefore,
      loadedAt: steadyNow(),
      named: nameTools(shown, view.names),
      texts: {},
      waited: wait,
    };
    return loaded;
  }

  function load(wait: Wait): Loaded | Promise<Loaded> {
    const isFresh =
      loaded && loaded.revision === revision() && steadyNow() - loaded.loadedAt < freshMs;
    if (loaded && isFresh && waits.indexOf(loaded.waited) >= waits.indexOf(wait)) return loaded;
    const loadingNow = loading.get(wait) ?? loadNow(wait).finally(() => loading.delete(wait));
    loading.set(wait, loadingNow);
    return loadingNow;
  }

  return {
    /** Do listed names mean the same to the plane, with nothing left out? */
    hasPlaneNames: view.toolset === null && view.names === "prefixed",
    /** The result of `tools/list`, rendered once per surface. */
    async text(era: Era, isHost = true): Promise<string> {
      const { named, texts } = await load("long");
      const kind = isHost ? (`${era} host` as const) : (`${era} plain` as const);
      const listed = () => [...named].filter(([, tool]) => isHost || isForModels(tool));
      const rendered = () => listed().map(([name, tool]) => renderMcpTool(name, tool, era));
      texts[kind] ??= JSON.stringify(renderList(rendered(), era));
      return texts[kind];
    },
    find: async (name: string) => (await load("short")).named.get(name),
    /** The list, where it is current; null where it must be asked for. */
    now(): ReadonlyMap<string, ShownTool> | null {
      const list = load("short");
      return list instanceof Promise ? null : list.named;
    },
    /** By shown name; the same map until something changes. */
    named: async (wait: Wait = "short") => (await load(wait)).named,
  };
}

/** A tool's own name is shown where it is unique, also among whole names. */
function nameTools(tools: readonly ShownTool[], names: View["names"]): Map<string, ShownTool> {
  if (names === "prefixed") return new Map(tools.map((tool) => [tool.modelName, tool]));
  const owners = new Map<string, number>();
  for (const { id, modelName } of tools)
    for (const name of new Set([id.tool, modelName])) owners.set(name, (owners.get(name) ?? 0) + 1);
  const shownName = ({ id, modelName }: ShownTool) =>
    owners.get(id.tool) === 1 ? id.tool : modelName;
  return new Map(tools.map((tool) => [shownName(tool), tool]));
}

export function renderList(tools: readonly UnknownObject[], era: Era): UnknownObject {
  if (era === "legacy") return { tools };
  return completed({ tools, ttlMs: listTtlMs, cacheScope: "private" });
}

export function renderMcpTool(name: string, tool: ShownTool, era: Era): UnknownObject {
  const { id, title, description, parameters, outputSchema, annotations, listed, stale } = tool;
  const listedMeta = isObject(listed?._meta) ? listed._meta : {};
  const meta = id.server === null ? listedMeta : showLinks(listedMeta, id.server);
  const rendered: UnknownObject = { ...listed };
  if (meta !== listedMeta) rendered._meta = meta;
  if (stale) rendered._meta = { ...meta, "toolplane/stale": true };
  rendered.name = name;
  if (title !== undefined && !tool.hasAnnotatedTitle) rendered.title = title;
  rendered.description = description;
  rendered.inputSchema = parameters;
  if (outputSchema !== undefined) rendered.outputSchema = renderOutput(outputSchema, era);
  if (Object.keys(annotations).length > 0) rendered.annotations = annotations;
  return rendered;
}

/** Before the modern revision, an output is an object. */
function isWrapped({ type }: JsonObject, era: Era): boolean {
  return era === "legacy" && type !== "object" && type !== undefined;
}

function renderOutput(schema: JsonObject, era: Era): JsonObject {
  if (!isWrapped(schema, era)) return schema;
  // References count from the root.
  const { $defs, ...inner } = schema;
  return {
    type: "object",
    properties: { result: inner },
    required: ["result"],
    ...($defs && { $defs }),
  };
}

/** In the same words as the tool's listing. */
export function fitResult(
  result: UnknownObject,
  schema: JsonObject | undefined,
  era: Era,
): UnknownObject {
  const { structuredContent } = result;
  if (structuredContent === undefined || isObject(structuredContent)) return result;
  if (schema === undefined || !isWrapped(schema, era)) return result;
  const wrapped = { ...result, structuredContent: { result: structuredContent } };
  return changeResult(result, wrapped, { structuredContent: (before) => `{"result":${before}}` });
}
