import { once } from "../lib/async/once.ts";
import { deepFreeze, sameJson } from "../lib/json/plain-data.ts";
import type { Tool, ToolId, ToolOverlay } from "../model/catalogue/tool.ts";
import { createToolNameIndex, type ToolNameIndex, toolKey } from "../model/catalogue/tool-name.ts";
import type { JsonObject } from "../model/json.ts";
import { type Described, overlayTool } from "./overlays/overlay.ts";
import { completeWrapper } from "./overlays/overlay-wrapper.ts";
import type { NamelessTool, Translation } from "./sources/mcp.ts";
import { byPlace } from "./tool-order.ts";

/** What is said about tools of servers, by name in any spelling that says the server. */
type Overlays = ReadonlyMap<string, ToolOverlay>;

const nothing = Object.freeze({});

/** Puts what sources list and what is written about it together, one tool at a time. */
function createDescriber(
  offered: readonly NamelessTool[],
  overlays: Overlays,
  index: Pick<ToolNameIndex, "find">,
): (tool: NamelessTool) => Described {
  const overlaid = overlaysById(overlays, index);
  const listed = once(
    () => new Map(offered.filter(({ id }) => id.server !== null).map((tool) => [toolKey(tool.id), tool])),
  );
  const describeListed = (tool: NamelessTool): Described => {
    const overlay = overlaid.size === 0 ? undefined : overlaid.get(toolKey(tool.id));
    return overlay === undefined ? { tool, fixed: nothing } : deepFreeze(overlayTool(tool, overlay));
  };
  const find = (id: ToolId): Described | undefined => {
    const tool = listed().get(toolKey(id));
    return tool && describeListed(tool);
  };
  return (tool) => (tool.id.server === null ? deepFreeze(completeWrapper(tool, find)) : describeListed(tool));
}

function overlaysById(overlays: Overlays, index: Pick<ToolNameIndex, "find">): ReadonlyMap<string, ToolOverlay> {
  return new Map(
    [...overlays].flatMap(([name, overlay]) => {
      const match = index.find(name);
      const ids = match.kind === "none" ? [] : match.kind === "one" ? [match.id] : match.ids;
      const meant = ids.filter(({ server }) => server !== null);
      const [only, ...others] =
        meant.length > 1 ? meant.filter(({ server, tool }) => `${server}.${tool}` === name) : meant;
      return only === undefined || others.length > 0 ? [] : [[toolKey(only), overlay] as const];
    }),
  );
}

/** The registry at one moment, as one persona sees it. Never changed, only replaced. */
export type Snapshot = {
  revision: number;
  tools: readonly Tool[];
  index: ToolNameIndex;
  byId(id: ToolId): Tool | undefined;
};

export type Registry = {
  /** Where a persona has a tool of its own under the name of a shared one, it sees that in its place. */
  snapshot(persona?: string | null): Snapshot;
  /** The tools of everybody and of every persona. */
  all(): readonly Tool[];
  /** Replaces everything one source offers. */
  setSource(source: string, translation: Translation): void;
  removeSource(source: string): void;
  /** Replaces everything that is said here about tools of servers. */
  setOverlays(overlays: Overlays): void;
  /** What is sent with each call of a tool of a snapshot and is shown to nobody. */
  fixedOf(tool: Tool): JsonObject;
  listed(source: string): { tools: number; rejected: Translation["rejected"] };
  /** A tool as its server lists it, without what is said about it here. */
  asListed(id: ToolId): NamelessTool | undefined;
};

/** How many tools there are now, those of every persona. */
export type RegistryChange = { revision: number; tools: number };

export function createRegistry(onChange: (change: RegistryChange) => void): Registry {
  const sources = new Map<string, Translation>();
  let revision = 0;
  let taken: Taken | null = null;
  let naming: Naming | undefined;
  let overlays: Overlays = new Map();
  const fixed = new WeakMap<Tool, JsonObject>();
  const named = new WeakMap<NamelessTool, Tool>();
  // A hundred servers that list one after the other are worth one look at all of them, when somebody looks.
  const current = () => {
    if (taken) return taken;
    const offered = [...sources.values()].flatMap(({ tools }) => tools);
    naming = nameAgain(
      naming,
      offered.map(({ id }) => id),
    );
    taken = takeSnapshot(revision, offered, { naming, overlays, fixed, named });
    return taken;
  };
  const replace = () => {
    revision += 1;
    taken = null;
    onChange({ revision, tools: [...sources.values()].reduce((sum, { tools }) => sum + tools.length, 0) });
  };

  return {
    snapshot: (persona = null) => current().seenBy(persona),
    all: () => current().all,
    setSource(source, { tools: listed, rejected, work }) {
      const before = sources.get(source);
      const tools = keepKnown(before?.tools ?? [], listed);
      sources.set(source, deepFreeze({ tools, rejected, work }));
      // Servers announce changes that are none, and list again what is known.
      const isKnown =
        before?.tools.length === tools.length &&
        tools.every((tool, at) => tool === before.tools[at]) &&
        sameJson(before.work, work);
      if (!isKnown) replace();
    },
    removeSource(source) {
      if (sources.delete(source)) replace();
    },
    setOverlays(next) {
      const isKnown = sameJson(Object.fromEntries(overlays), Object.fromEntries(next));
      overlays = next;
      if (!isKnown) replace();
    },
    fixedOf: (tool) => fixed.get(tool) ?? {},
    listed(source) {
      const { tools, rejected } = sources.get(source) ?? { tools: [], rejected: [] };
      return { tools: tools.length, rejected };
    },
    asListed: (id) =>
      id.server === null ? undefined : sources.get(id.server)?.tools.find((tool) => isSameId(tool.id, id)),
  };
}

/** What is listed again unchanged stays the same object, frozen already; what is changed is still the same tool. */
function keepKnown(known: readonly NamelessTool[], listed: readonly NamelessTool[]): NamelessTool[] {
  const byKey = once(() => new Map(known.map((tool) => [toolKey(tool.id), tool])));
  return listed.map((tool, at) => {
    const inPlace = known[at];
    const earlier = inPlace && isSameId(inPlace.id, tool.id) ? inPlace : byKey().get(toolKey(tool.id));
    if (!earlier) return tool;
    return sameJson(earlier, tool) ? earlier : { ...tool, id: earlier.id };
  });
}

function isSameId(a: ToolId, b: ToolId): boolean {
  return a.tool === b.tool && a.server === b.server;
}

type Taken = { all: readonly Tool[]; seenBy(persona: string | null): Snapshot };

type Saying = {
  naming: Naming;
  overlays: Overlays;
  fixed: WeakMap<Tool, JsonObject>;
  /** What is as it was stays the same tool, for whoever has looked at it before. */
  named: WeakMap<NamelessTool, Tool>;
};

function takeSnapshot(
  revision: number,
  offered: readonly NamelessTool[],
  { naming, overlays, fixed, named }: Saying,
): Taken {
  const { index, order, hasOverrides } = naming;
  const describe = createDescriber(offered, overlays, index);
  const all = order.map((at) => {
    const { tool, fixed: values } = describe(offered[at] as NamelessTool);
    const names = { name: index.name(tool.id), modelName: index.modelName(tool.id) };
    const before = named.get(tool);
    if (before?.name === names.name && before.modelName === names.modelName) return before;
    const fresh: Tool = Object.freeze({ ...tool, ...names });
    named.set(tool, fresh);
    if (Object.keys(values).length > 0) fixed.set(fresh, values);
    return fresh;
  });
  if (hasOverrides) all.sort(byPlace);
  const views = new Map<string | null, Snapshot>();
  const withOverrides = hasOverrides ? ownersOfRepeated(all) : null;
  return {
    all,
    seenBy(persona) {
      const viewer = persona !== null && withOverrides?.has(persona) ? persona : null;
      const known = { revision, index };
      const view = views.get(viewer) ?? (withOverrides ? lookFrom(viewer, all, known) : lookAt(all, known));
      views.set(viewer, view);
      return view;
    },
  };
}

/** The personas whose view differs from everybody's. */
function ownersOfRepeated(tools: readonly Tool[]): Set<string> {
  const groups = Map.groupBy(tools, ({ id }) => toolKey(id));
  const repeated = [...groups.values()].filter((group) => group.length > 1).flat();
  return new Set(repeated.flatMap(({ persona }) => persona ?? []));
}

/** Where nobody overrides anything, everybody sees the same. */
function lookAt(tools: readonly Tool[], known: Pick<Snapshot, "revision" | "index">): Snapshot {
  const keyed = once(() => new Map(tools.map((tool) => [toolKey(tool.id), tool])));
  return Object.freeze({ ...known, tools, byId: (id: ToolId) => keyed().get(toolKey(id)) });
}

function lookFrom(
  viewer: string | null,
  all: readonly Tool[],
  { revision, index }: Pick<Snapshot, "revision" | "index">,
): Snapshot {
  const keyed = new Map<string, Tool>();
  for (const tool of all) {
    const key = toolKey(tool.id);
    const other = keyed.get(key);
    if (other === undefined || closeness(tool, viewer) > closeness(other, viewer)) keyed.set(key, tool);
  }
  const tools = keyed.size === all.length ? all : all.filter((tool) => keyed.get(toolKey(tool.id)) === tool);
  return Object.freeze({ revision, tools, index, byId: (id: ToolId) => keyed.get(toolKey(id)) });
}

/** One's own before everybody's before somebody else's, which is there to be refused by name. */
function closeness({ persona }: Tool, viewer: string | null): number {
  if (persona === null) return 1;
  return persona === viewer ? 2 : 0;
}

/** The names that a set of tools has, and their order. */
type Naming = {
  ids: readonly ToolId[];
  index: ToolNameIndex;
  order: readonly number[];
  hasOverrides: boolean;
};

function nameTools(ids: readonly ToolId[]): Naming {
  // What a server lists is its own; only tools written by hand can take each other's place.
  const byHand = ids.filter(({ server }) => server === null);
  const hasOverrides = new Set(byHand.map(({ tool }) => tool)).size < byHand.length;
  // A tool and what takes its place are one name to everybody who calls it.
  const distinct = hasOverrides ? [...new Map(ids.map((id) => [toolKey(id), id])).values()] : ids;
  const index = createToolNameIndex(distinct);
  const names = ids.map(index.name);
  const order = [...names.keys()].sort((a, b) => ((names[a] as string) < (names[b] as string) ? -1 : 1));
  return { ids, index, order, hasOverrides };
}

/** Tools mostly change what they say and not what they are called. */
function nameAgain(naming: Naming | undefined, ids: readonly ToolId[]): Naming {
  const isKnown = naming?.ids.length === ids.length && ids.every((id, at) => id === naming.ids[at]);
  return isKnown && naming ? naming : nameTools(ids);
}
