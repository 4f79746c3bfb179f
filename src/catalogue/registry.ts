import { once } from "../lib/async/once.ts";
import { deepFreeze, sameJson } from "../lib/json/plain-data.ts";
import { type ListOwner, listKeysOf } from "../model/catalogue/list-owner.ts";
import type { Tool, ToolId, ToolMetadata, ToolOverlay } from "../model/catalogue/tool.ts";
import { createToolNameIndex, type ToolNameIndex, toolKey } from "../model/catalogue/tool-name.ts";
import type { JsonObject } from "../model/json.ts";
import type { Principal } from "../model/principal.ts";
import {
  completeWrapper,
  exclusivelyWrapped,
  type OverlaidTool,
  overlayTool,
} from "./overlays/overlay.ts";
import type { NamelessTool, Translation } from "./sources/mcp.ts";
import { createToolLists, isSameId } from "./tool-lists.ts";

/** By the name of a server's tool, in any spelling. */
type Overlays = ReadonlyMap<string, ToolOverlay>;

/** Whose view: a persona and a workspace have tools of their own, a user and a directory those that servers list for them alone. */
export type Viewer = Pick<Principal, "persona" | "user" | "workspace" | "directory">;

/** The registry at one moment, as one viewer sees it. Immutable. */
export type Snapshot = {
  revision: number;
  tools: readonly Tool[];
  index: ToolNameIndex;
  byId(id: ToolId): Tool | undefined;
};

/** `tools` counts those of every viewer. */
export type RegistryChange = { revision: number; tools: number };

export type Registry = ReturnType<typeof createRegistry>;

/** `usualUser` is whose list of a server people write wrappers and overlays for, `home` where callers work who say nothing. */
export function createRegistry(
  onChange: (change: RegistryChange) => void,
  usualUser: string | null = null,
  home: string | null = null,
) {
  const lists = createToolLists(usualUser);
  let revision = 0;
  let taken: Taken | null = null;
  let naming: Naming | undefined;
  let overlays: Overlays = new Map();
  const described = new WeakMap<Tool, boolean>();
  const memo: Memo = { fixed: new WeakMap(), named: new WeakMap() };
  // A snapshot is taken when one is read: a hundred servers may list their tools one after the other.
  const current = () => {
    if (taken) return taken;
    const { offered, owners } = lists.offered();
    naming = nameAgain(
      naming,
      offered.map(({ id }) => id),
      owners.size > 0,
    );
    const target = (id: ToolId) =>
      lists.of(id.server ?? "", usualUser).find((tool) => isSameId(tool.id, id));
    const keysOf = (viewer: Viewer) => listKeysOf(viewer, home);
    const more = owners.size > 0 ? { target } : {};
    taken = takeSnapshot(revision, offered, { naming, overlays, memo, owners, keysOf, ...more });
    return taken;
  };
  const listedByKey = new Map<string, Map<string, NamelessTool[]>>();
  const isAsListed = ({ id, description, parameters }: Tool, server: string): boolean => {
    const listed =
      listedByKey.get(server) ?? Map.groupBy(lists.all(server), (one) => toolKey(one.id));
    listedByKey.set(server, listed);
    const same = listed.get(toolKey(id)) ?? [];
    return same.some((one) => one.description === description && one.parameters === parameters);
  };
  const replace = () => {
    revision += 1;
    taken = null;
    listedByKey.clear();
    onChange({ revision, tools: lists.count() });
  };

  return {
    /** A persona and a workspace see their own tool in the place of a shared one; by default, what the usual user sees. */
    snapshot: (viewer: Viewer = { persona: null, workspace: null, user: usualUser }): Snapshot =>
      current().seenBy(viewer),
    all: (): readonly Tool[] => current().all,
    /** With `owner`, what the server lists for this user or directory and no other. */
    setSource(source: string, translation: Translation, owner?: ListOwner): void {
      if (lists.set(source, translation, owner)) replace();
    },
    removeSource(source: string, owner?: ListOwner): void {
      if (lists.remove(source, owner)) replace();
    },
    setOverlays(next: Overlays): void {
      const isKnown = sameJson(Object.fromEntries(overlays), Object.fromEntries(next));
      overlays = next;
      if (!isKnown) replace();
    },
    /** The hidden values that are sent with each call of a tool. */
    fixedOf: (tool: Tool): JsonObject => memo.fixed.get(tool) ?? {},
    /** The keys of the lists that have it; undefined for a tool of a list that all share. */
    ownersOf: (tool: Tool): ReadonlySet<string | null> | undefined => current().ownersOf(tool),
    isListedFor(tool: Tool, viewer: Viewer): boolean {
      const owners = current().ownersOf(tool);
      return owners === undefined || listKeysOf(viewer, home).some((key) => owners.has(key));
    },
    listed: lists.listed,
    /** Written by people, or described by an overlay; what comes with the program is neither. */
    isWritten(tool: Tool): boolean {
      if (tool.id.server === null) return tool.source !== "builtin";
      if (overlays.size === 0) return false;
      const known = described.get(tool) ?? !isAsListed(tool, tool.id.server);
      described.set(tool, known);
      return known;
    },
    /** A tool as its server lists it, without overlay. */
    asListed: (id: ToolId): NamelessTool | undefined =>
      id.server === null
        ? undefined
        : lists.of(id.server, usualUser).find((tool) => isSameId(tool.id, id)),
  };
}

export function idsOf(match: ReturnType<ToolNameIndex["find"]>): readonly ToolId[] {
  return match.kind === "none" ? [] : match.kind === "one" ? [match.id] : match.ids;
}

type Placed = Pick<Tool, "name" | "persona"> & { metadata?: Pick<ToolMetadata, "workspaces"> };

/** The sort key in a listing. A shared tool and those that replace it for personas and workspaces have one name. */
export function registryKey({ name, persona, metadata }: Placed): string {
  const workspaces = metadata?.workspaces?.join(",");
  if (workspaces) return `${name}\0${persona ?? ""}\0${workspaces}`;
  return persona === null ? name : `${name}\0${persona}`;
}

const nothing = Object.freeze({});

function createDescriber(
  offered: readonly NamelessTool[],
  overlays: Overlays,
  index: Pick<ToolNameIndex, "find">,
  target?: (id: ToolId) => NamelessTool | undefined,
) {
  const overlaid = overlaysById(overlays, index);
  const wrapped = exclusivelyWrapped(offered);
  const listed = once(
    () =>
      new Map(
        offered.filter(({ id }) => id.server !== null).map((tool) => [toolKey(tool.id), tool]),
      ),
  );
  const describeListed = (tool: NamelessTool): OverlaidTool => {
    if (overlaid.size === 0 && wrapped.size === 0) return { tool, fixed: nothing };
    const key = toolKey(tool.id);
    const overlay = overlaid.get(key);
    const onlyThrough = wrapped.get(key);
    if (overlay === undefined && onlyThrough === undefined) return { tool, fixed: nothing };
    const described = overlayTool(tool, overlay);
    return deepFreeze(
      onlyThrough === undefined
        ? described
        : { ...described, tool: { ...described.tool, onlyThrough } },
    );
  };
  const find = (id: ToolId): OverlaidTool | undefined => {
    const tool = target ? target(id) : listed().get(toolKey(id));
    return tool && describeListed(tool);
  };
  return (tool: NamelessTool): OverlaidTool =>
    tool.id.server === null ? deepFreeze(completeWrapper(tool, find)) : describeListed(tool);
}

function overlaysById(
  overlays: Overlays,
  index: Pick<ToolNameIndex, "find">,
): ReadonlyMap<string, ToolOverlay> {
  return new Map(
    [...overlays].flatMap(([name, overlay]) => {
      const meant = idsOf(index.find(name)).filter(({ server }) => server !== null);
      const [only, ...others] =
        meant.length > 1 ? meant.filter(({ server, tool }) => `${server}.${tool}` === name) : meant;
      return only === undefined || others.length > 0 ? [] : [[toolKey(only), overlay] as const];
    }),
  );
}

type Taken = {
  all: readonly Tool[];
  seenBy(viewer: Viewer): Snapshot;
  ownersOf(tool: Tool): ReadonlySet<string | null> | undefined;
};

/** What holds across snapshots: an unchanged tool stays the same object, so that others can remember it by identity. */
type Memo = { fixed: WeakMap<Tool, JsonObject>; named: WeakMap<NamelessTool, Tool> };

function takeSnapshot(
  revision: number,
  offered: readonly NamelessTool[],
  { naming, overlays, memo, owners, keysOf, target }: SnapshotParts,
): Taken {
  const { index, order, hasOverrides } = naming;
  const describe = createDescriber(offered, overlays, index, target);
  const ownersOf = new Map<Tool, ReadonlySet<string | null>>();
  const named = ({ tool, fixed }: OverlaidTool): Tool => {
    const names = { name: index.name(tool.id), modelName: index.modelName(tool.id) };
    const before = memo.named.get(tool);
    if (before?.name === names.name && before.modelName === names.modelName) return before;
    const fresh: Tool = Object.freeze({ ...tool, ...names });
    memo.named.set(tool, fresh);
    if (Object.keys(fixed).length > 0) memo.fixed.set(fresh, fixed);
    return fresh;
  };
  const all = order.map((at) => {
    const listed = offered[at] as NamelessTool;
    const tool = named(describe(listed));
    const users = owners.get(listed);
    if (users) ownersOf.set(tool, users);
    return tool;
  });
  if (!hasOverrides && owners.size === 0) {
    const keyed = once(() => new Map(all.map((tool) => [toolKey(tool.id), tool])));
    const view = Object.freeze({
      revision,
      index,
      tools: all,
      byId: (id: ToolId) => keyed().get(toolKey(id)),
    });
    return { all, seenBy: () => view, ownersOf: () => undefined };
  }
  all.sort(byPlace);
  const overriding = ownersOfOverrides(all.filter(({ id }) => id.server === null));
  const lists = new Set([...owners.values()].flatMap((some) => [...some]));
  /** Those without a list of their own see the same. */
  const views = new Map<string, Snapshot>();
  return {
    all,
    ownersOf: (tool) => ownersOf.get(tool),
    seenBy(viewer) {
      const persona = overriding.personas.has(viewer.persona) ? viewer.persona : null;
      const workspace = overriding.workspaces.has(viewer.workspace) ? viewer.workspace : null;
      const theirs = keysOf(viewer).filter((one) => lists.has(one));
      const key = JSON.stringify([persona, workspace, ...theirs]);
      const known = views.get(key);
      if (known) return known;
      const isTheirs = (tool: Tool) => {
        const of = ownersOf.get(tool);
        return of === undefined || theirs.some((one) => of.has(one));
      };
      const seen = owners.size === 0 ? all : all.filter(isTheirs);
      const view = viewFor({ persona, workspace, user: viewer.user }, seen, { revision, index });
      views.set(key, view);
      return view;
    },
  };
}

type SnapshotParts = {
  naming: Naming;
  overlays: Overlays;
  memo: Memo;
  owners: ReadonlyMap<NamelessTool, ReadonlySet<string | null>>;
  /** The keys of the lists that a caller sees. */
  keysOf(viewer: Viewer): (string | null)[];
  /** What a wrapper leads to, where users have different lists. */
  target?: (id: ToolId) => NamelessTool | undefined;
};

export function byPlace(a: Tool, b: Tool): number {
  const left = registryKey(a);
  const right = registryKey(b);
  return left === right ? 0 : left < right ? -1 : 1;
}

/** The personas and workspaces whose view differs from the shared one. */
function ownersOfOverrides(tools: readonly Tool[]) {
  const groups = Map.groupBy(tools, ({ id }) => toolKey(id));
  const repeated = [...groups.values()].filter((group) => group.length > 1).flat();
  return {
    personas: new Set<string | null>(repeated.map(({ persona }) => persona)),
    workspaces: new Set<string | null>(
      repeated.flatMap(({ metadata }) => metadata.workspaces ?? []),
    ),
  };
}

function viewFor(
  viewer: Viewer,
  all: readonly Tool[],
  { revision, index }: Pick<Snapshot, "revision" | "index">,
): Snapshot {
  const keyed = new Map<string, Tool>();
  for (const tool of all) {
    const key = toolKey(tool.id);
    const other = keyed.get(key);
    if (other === undefined || closeness(tool, viewer) > closeness(other, viewer))
      keyed.set(key, tool);
  }
  const tools =
    keyed.size === all.length ? all : all.filter((tool) => keyed.get(toolKey(tool.id)) === tool);
  return Object.freeze({ revision, tools, index, byId: (id: ToolId) => keyed.get(toolKey(id)) });
}

/** The viewer's own, then shared, then another persona's or workspace's, which is there to be refused by name. */
function closeness({ persona, metadata: { workspaces = [] } }: Tool, viewer: Viewer): number {
  const ofPersona = persona === null ? 1 : persona === viewer.persona ? 2 : 0;
  const ofWorkspace =
    workspaces.length === 0 ? 0 : workspaces.includes(viewer.workspace ?? "") ? 1 : -10;
  return 2 * ofPersona + ofWorkspace;
}

type Naming = {
  ids: readonly ToolId[];
  index: ToolNameIndex;
  order: readonly number[];
  hasOverrides: boolean;
};

function nameTools(ids: readonly ToolId[], hasOwners: boolean): Naming {
  // Only hand-written tools can replace each other, and those that do share one name.
  const byHand = ids.filter(({ server }) => server === null);
  const hasOverrides = new Set(byHand.map(({ tool }) => tool)).size < byHand.length;
  // Users may have different tools of one name.
  const distinct =
    hasOverrides || hasOwners ? [...new Map(ids.map((id) => [toolKey(id), id])).values()] : ids;
  const index = createToolNameIndex(distinct);
  const names = ids.map(index.name);
  const order = [...names.keys()].sort((a, b) =>
    (names[a] as string) < (names[b] as string) ? -1 : 1,
  );
  return { ids, index, order, hasOverrides };
}

/** Mostly descriptions change and names do not. */
function nameAgain(naming: Naming | undefined, ids: readonly ToolId[], hasOwners: boolean): Naming {
  const isKnown = naming?.ids.length === ids.length && ids.every((id, at) => id === naming.ids[at]);
  return isKnown && naming ? naming : nameTools(ids, hasOwners);
}
