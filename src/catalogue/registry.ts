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
  let snapshots: Snapshots | null = null;
  let naming: Naming | undefined;
  let overlays: Overlays = new Map();
  const writtenTools = new WeakMap<Tool, boolean>();
  const memo: Memo = { fixed: new WeakMap(), named: new WeakMap() };
  // A snapshot is taken when one is read: a hundred servers may list their tools one after the other.
  const readSnapshots = () => {
    if (snapshots) return snapshots;
    const { offered, owners } = lists.offered();
    naming = nameAgain(
      naming,
      offered.map(({ id }) => id),
      owners.size > 0,
    );
    const target = (id: ToolId) =>
      lists.of(id.server ?? "", usualUser).find((tool) => isSameId(tool.id, id));
    const keysOf = (viewer: Viewer) => listKeysOf(viewer, home);
    const wrapperTarget = owners.size > 0 ? { target } : {};
    snapshots = takeSnapshots(revision, offered, {
      naming,
      overlays,
      memo,
      owners,
      keysOf,
      ...wrapperTarget,
    });
    return snapshots;
  };
  const listedByKey = new Map<string, Map<string, NamelessTool[]>>();
  const isAsListed = ({ id, description, parameters }: Tool, server: string): boolean => {
    const listed =
      listedByKey.get(server) ?? Map.groupBy(lists.all(server), (tool) => toolKey(tool.id));
    listedByKey.set(server, listed);
    const sameIds = listed.get(toolKey(id)) ?? [];
    return sameIds.some(
      (tool) => tool.description === description && tool.parameters === parameters,
    );
  };
  const replace = () => {
    revision += 1;
    snapshots = null;
    listedByKey.clear();
    onChange({ revision, tools: lists.count() });
  };

  return {
    /** A persona and a workspace see their own tool in the place of a shared one; by default, what the usual user sees. */
    snapshot: (viewer: Viewer = { persona: null, workspace: null, user: usualUser }): Snapshot =>
      readSnapshots().seenBy(viewer),
    all: (): readonly Tool[] => readSnapshots().all,
    /** With `owner`, what the server lists for this user or directory and no other. */
    setSource(source: string, translation: Translation, owner?: ListOwner): void {
      if (lists.set(source, translation, owner)) replace();
    },
    removeSource(source: string, owner?: ListOwner): void {
      if (lists.remove(source, owner)) replace();
    },
    setOverlays(newOverlays: Overlays): void {
      const isUnchanged = sameJson(Object.fromEntries(overlays), Object.fromEntries(newOverlays));
      overlays = newOverlays;
      if (!isUnchanged) replace();
    },
    /** The hidden values that are sent with each call of a tool. */
    fixedOf: (tool: Tool): JsonObject => memo.fixed.get(tool) ?? {},
    /** The keys of the lists that have it; undefined for a tool of a list that all share. */
    ownersOf: (tool: Tool): ReadonlySet<string | null> | undefined =>
      readSnapshots().ownersOf(tool),
    isListedFor(tool: Tool, viewer: Viewer): boolean {
      const owners = readSnapshots().ownersOf(tool);
      return owners === undefined || listKeysOf(viewer, home).some((key) => owners.has(key));
    },
    listed: lists.listed,
    /** Written by people, or described by an overlay; what comes with the program is neither. */
    isWritten(tool: Tool): boolean {
      if (tool.id.server === null) return tool.source !== "builtin";
      if (overlays.size === 0) return false;
      const isWritten = writtenTools.get(tool) ?? !isAsListed(tool, tool.id.server);
      writtenTools.set(tool, isWritten);
      return isWritten;
    },
    /** A tool as its server lists it, without overlay. */
    asListed: (id: ToolId): NamelessTool | undefined => {
      if (id.server === null) return undefined;
      return lists.of(id.server, usualUser).find((tool) => isSameId(tool.id, id));
    },
  };
}

export function idsOf(nameMatch: ReturnType<ToolNameIndex["find"]>): readonly ToolId[] {
  if (nameMatch.kind === "none") return [];
  return nameMatch.kind === "one" ? [nameMatch.id] : nameMatch.ids;
}

type RegistryEntry = Pick<Tool, "name" | "persona"> & {
  metadata?: Pick<ToolMetadata, "workspaces">;
};

/** The sort key in a listing. A shared tool and those that replace it for personas and workspaces have one name. */
export function registryKey({ name, persona, metadata }: RegistryEntry): string {
  const workspaces = metadata?.workspaces?.join(",");
  if (workspaces) return `${name}\0${persona ?? ""}\0${workspaces}`;
  return persona === null ? name : `${name}\0${persona}`;
}

const noFixedValues = Object.freeze({});

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
    if (overlaid.size === 0 && wrapped.size === 0) return { tool, fixed: noFixedValues };
    const key = toolKey(tool.id);
    const overlay = overlaid.get(key);
    const wrapper = wrapped.get(key);
    if (overlay === undefined && wrapper === undefined) return { tool, fixed: noFixedValues };
    const described = overlayTool(tool, overlay);
    if (wrapper !== undefined) described.tool = { ...described.tool, onlyThrough: wrapper };
    return deepFreeze(described);
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
      let ids = idsOf(index.find(name)).filter(({ server }) => server !== null);
      if (ids.length > 1) ids = ids.filter(({ server, tool }) => `${server}.${tool}` === name);
      const [id] = ids;
      if (id === undefined || ids.length > 1) return [];
      return [[toolKey(id), overlay] as const];
    }),
  );
}

type Snapshots = {
  all: readonly Tool[];
  seenBy(viewer: Viewer): Snapshot;
  ownersOf(tool: Tool): ReadonlySet<string | null> | undefined;
};

/** What holds across snapshots: an unchanged tool stays the same object, so that others can remember it by identity. */
type Memo = { fixed: WeakMap<Tool, JsonObject>; named: WeakMap<NamelessTool, Tool> };

function takeSnapshots(
  revision: number,
  offered: readonly NamelessTool[],
  { naming, overlays, memo, owners, keysOf, target }: SnapshotParts,
): Snapshots {
  const { index, order, hasOverrides } = naming;
  const describe = createDescriber(offered, overlays, index, target);
  const ownersOf = new Map<Tool, ReadonlySet<string | null>>();
  const withNames = ({ tool, fixed }: OverlaidTool): Tool => {
    const names = { name: index.name(tool.id), modelName: index.modelName(tool.id) };
    const previous = memo.named.get(tool);
    if (previous?.name === names.name && previous.modelName === names.modelName) return previous;
    const namedTool: Tool = Object.freeze({ ...tool, ...names });
    memo.named.set(tool, namedTool);
    if (Object.keys(fixed).length > 0) memo.fixed.set(namedTool, fixed);
    return namedTool;
  };
  const tools = order.map((position) => {
    const nameless = offered[position] as NamelessTool;
    const tool = withNames(describe(nameless));
    const users = owners.get(nameless);
    if (users) ownersOf.set(tool, users);
    return tool;
  });
  if (!hasOverrides && owners.size === 0) {
    const toolsByKey = once(() => new Map(tools.map((tool) => [toolKey(tool.id), tool])));
    const view = Object.freeze({
      revision,
      index,
      tools,
      byId: (id: ToolId) => toolsByKey().get(toolKey(id)),
    });
    return { all: tools, seenBy: () => view, ownersOf: () => undefined };
  }
  tools.sort(byRegistryKey);
  const overriding = ownersOfOverrides(tools.filter(({ id }) => id.server === null));
  const listKeys = new Set([...owners.values()].flatMap((keys) => [...keys]));
  /** Those without a list of their own see the same. */
  const views = new Map<string, Snapshot>();
  return {
    all: tools,
    ownersOf: (tool) => ownersOf.get(tool),
    seenBy(viewer) {
      const persona = overriding.personas.has(viewer.persona) ? viewer.persona : null;
      const workspace = overriding.workspaces.has(viewer.workspace) ? viewer.workspace : null;
      const viewerKeys = keysOf(viewer).filter((key) => listKeys.has(key));
      const viewKey = JSON.stringify([persona, workspace, ...viewerKeys]);
      const previous = views.get(viewKey);
      if (previous) return previous;
      const isSeen = (tool: Tool) => {
        const toolOwners = ownersOf.get(tool);
        return toolOwners === undefined || viewerKeys.some((key) => toolOwners.has(key));
      };
      const seenTools = owners.size === 0 ? tools : tools.filter(isSeen);
      const facts = { revision, index };
      const view = viewFor({ persona, workspace, user: viewer.user }, seenTools, facts);
      views.set(viewKey, view);
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

export function byRegistryKey(a: Tool, b: Tool): number {
  const left = registryKey(a);
  const right = registryKey(b);
  if (left === right) return 0;
  return left < right ? -1 : 1;
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
  seenTools: readonly Tool[],
  { revision, index }: Pick<Snapshot, "revision" | "index">,
): Snapshot {
  const toolsByKey = new Map<string, Tool>();
  for (const tool of seenTools) {
    const key = toolKey(tool.id);
    const rival = toolsByKey.get(key);
    if (rival === undefined || closeness(tool, viewer) > closeness(rival, viewer))
      toolsByKey.set(key, tool);
  }
  const tools =
    toolsByKey.size === seenTools.length
      ? seenTools
      : seenTools.filter((tool) => toolsByKey.get(toolKey(tool.id)) === tool);
  const byId = (id: ToolId) => toolsByKey.get(toolKey(id));
  return Object.freeze({ revision, tools, index, byId });
}

/** The viewer's own, then shared, then another persona's or workspace's, which is there to be refused by name. */
function closeness(tool: Tool, viewer: Viewer): number {
  return 2 * closenessOfPersona(tool, viewer) + closenessOfWorkspace(tool, viewer);
}

function closenessOfPersona({ persona }: Tool, viewer: Viewer): number {
  if (persona === null) return 1;
  return persona === viewer.persona ? 2 : 0;
}

function closenessOfWorkspace({ metadata: { workspaces = [] } }: Tool, viewer: Viewer): number {
  if (workspaces.length === 0) return 0;
  return workspaces.includes(viewer.workspace ?? "") ? 1 : -10;
}

type Naming = {
  ids: readonly ToolId[];
  index: ToolNameIndex;
  order: readonly number[];
  hasOverrides: boolean;
};

function nameTools(ids: readonly ToolId[], hasOwners: boolean): Naming {
  // Only hand-written tools can replace each other, and those that do share one name.
  const handWrittenIds = ids.filter(({ server }) => server === null);
  const hasOverrides = new Set(handWrittenIds.map(({ tool }) => tool)).size < handWrittenIds.length;
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
function nameAgain(
  previous: Naming | undefined,
  ids: readonly ToolId[],
  hasOwners: boolean,
): Naming {
  const isSame =
    previous?.ids.length === ids.length && ids.every((id, index) => id === previous.ids[index]);
  return isSame && previous ? previous : nameTools(ids, hasOwners);
}
