import { once } from "../../lib/async/once.ts";
import type { Tool, ToolId } from "./tool.ts";

const modelNameLimit = 64;
const hashLength = 8;

/** Every spelling of a tool. Rendered and looked up, never split. */
export function spellings({ server, tool }: ToolId): string[] {
  if (server === null) return [tool, `mcp.${tool}`];
  return [
    `${server}.${tool}`,
    `${server}_${tool}`,
    `${server}__${tool}`,
    `mcp.${server}.${tool}`,
    `mcp_${server}_${tool}`,
    `mcp__${server}__${tool}`,
  ];
}

export function toolKey({ server, tool }: ToolId): string {
  return JSON.stringify([server, tool]);
}

/** A hint for what to start first, not an answer. */
export function mayBelongTo(server: string, spelling: string): boolean {
  return spellings({ server, tool: "" }).some((prefix) => spelling.startsWith(prefix));
}

function displayName({ server, tool }: ToolId): string {
  return server === null ? tool : `${server}.${tool}`;
}

function safeName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

function plainModelName({ server, tool }: ToolId): string {
  return server === null ? tool : `${server}__${tool}`;
}

function hashedModelName(id: ToolId): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash("sha256").update(toolKey(id)).digest("hex").slice(0, hashLength);
  const room = modelNameLimit - hashLength - 1;
  const serverRoom = Math.max(hashLength, room - id.tool.length - 2);
  const server = id.server === null ? null : id.server.slice(0, serverRoom);
  return `${safeName(plainModelName({ server, tool: id.tool })).slice(0, room)}_${hash}`;
}

/** Independent of the order of tools, so that two runs agree. */
function modelNames(ids: readonly ToolId[]): Map<ToolId, string> {
  const groups = groupBy(ids, (id) => safeName(plainModelName(id)));
  const names = new Map<ToolId, string>();
  const keepers = new Map<string, ToolId>();
  for (const [name, group] of groups) {
    const keeper =
      name.length > 0 && name.length <= modelNameLimit ? keeperOf(name, group) : undefined;
    if (keeper) keepers.set(name, keeper);
    if (group === keeper) continue;
    for (const id of asList(group)) if (id !== keeper) names.set(id, hashedModelName(id));
  }
  const hashed = new Set(names.values());
  for (const [name, id] of keepers) names.set(id, hashed.has(name) ? hashedModelName(id) : name);
  return names;
}

function keeperOf(name: string, group: Group): ToolId | undefined {
  if (!Array.isArray(group)) return group;
  const exact = group.filter((id) => plainModelName(id) === name);
  return exact.length === 1 ? exact[0] : undefined;
}

/** Nearly always one: lists would be most of the index's memory. */
type Group = ToolId | ToolId[];

function asList(group: Group | undefined): ToolId[] {
  if (group === undefined) return [];
  return Array.isArray(group) ? group : [group];
}

function groupBy(ids: readonly ToolId[], render: (id: ToolId) => string): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const id of ids) {
    const rendered = render(id);
    const group = groups.get(rendered);
    if (group === undefined) groups.set(rendered, id);
    else if (Array.isArray(group)) group.push(id);
    else groups.set(rendered, [group, id]);
  }
  return groups;
}

export type NameMatch =
  | { kind: "one"; id: ToolId }
  | { kind: "many"; ids: ToolId[] }
  | { kind: "none" };

export type ToolNameIndex = {
  /** For people; unique. */
  name(id: ToolId): string;
  /** For models; unique and fit for every model API. */
  modelName(id: ToolId): string;
  find(spelling: string, accepts?: (id: ToolId) => boolean): NameMatch;
  /** Spellings of several tools. */
  collisions(): { spelling: string; names: string[] }[];
};

/** The first rank that knows a spelling decides; several hits in one rank stay ambiguous. */
export function createToolNameIndex(ids: readonly ToolId[]): ToolNameIndex {
  const forModels = modelNames(ids);
  const byKey = once(() => new Map(ids.map((id) => [toolKey(id), id])));
  const modelName = (id: ToolId) =>
    forModels.get(id) ?? forModels.get(byKey().get(toolKey(id)) ?? id) ?? hashedModelName(id);
  // Names collide only where a server or a hand-written tool has a dot in its name.
  const isShared = ids.some(hasLooseDot) ? repeatedTexts(ids.map(displayName)) : new Set<string>();
  const name = (id: ToolId) => {
    const shown = displayName(id);
    return isShared.size > 0 && isShared.has(shown) ? modelName(id) : shown;
  };
  const prefixes = once(() => prefixesOf(ids));
  const spelled = (spelling: string) =>
    prefixes().flatMap(([server, prefix]) => {
      if (!spelling.startsWith(prefix)) return [];
      return byKey().get(toolKey({ server, tool: spelling.slice(prefix.length) })) ?? [];
    });
  const grouped = (render: (id: ToolId) => string) => {
    const groups = once(() => groupBy(ids, render));
    return (spelling: string) => asList(groups().get(spelling));
  };
  const ranks = [grouped(name), grouped(modelName), spelled, grouped(({ tool }) => tool)];

  return {
    name,
    modelName,
    find(spelling, accepts = () => true) {
      for (const rank of ranks) {
        const [first, ...furtherIds] = rank(spelling).filter(accepts);
        if (first && furtherIds.length > 0) return { kind: "many", ids: [first, ...furtherIds] };
        if (first) return { kind: "one", id: first };
      }
      return { kind: "none" };
    },
    collisions: () =>
      [...repeatedTexts(ids.flatMap(spellings))].map((spelling) => ({
        spelling,
        names: spelled(spelling).map(name),
      })),
  };
}

function hasLooseDot({ server, tool }: ToolId): boolean {
  return (server ?? tool).includes(".");
}

/** Prefixes only: all spellings would be most of the index's memory. */
function prefixesOf(ids: readonly ToolId[]): [server: string | null, prefix: string][] {
  const servers = new Set(ids.map(({ server }) => server));
  return [...servers].flatMap((server) =>
    spellings({ server, tool: "" }).map((prefix): [string | null, string] => [server, prefix]),
  );
}

function repeatedTexts(texts: readonly string[]): Set<string> {
  const seenTexts = new Set<string>();
  const repeatedOnes = new Set<string>();
  for (const text of texts) (seenTexts.has(text) ? repeatedOnes : seenTexts).add(text);
  return repeatedOnes;
}

type Named = Pick<Tool, "id" | "name" | "modelName">;
type MatchesGlob = (pattern: string, text: string) => boolean;

/** Names in any spelling, globs, or a part of a name where no tool has exactly that name. */
export function alwaysLoaded<T extends Named>(
  tools: readonly T[],
  patterns: readonly string[],
  matchesGlob: MatchesGlob,
): Set<T> {
  return new Set(patterns.flatMap((pattern) => meantBy(pattern, tools, matchesGlob)));
}

function meantBy<T extends Named>(
  pattern: string,
  tools: readonly T[],
  matchesGlob: MatchesGlob,
): T[] {
  if (pattern === "") return [];
  const having = (fits: (name: string) => boolean) =>
    tools.filter((tool) => namesOf(tool).some(fits));
  if (/[*?]/.test(pattern)) return having((name) => matchesGlob(pattern, name));
  const exact = having((name) => name === pattern);
  return exact.length > 0 ? exact : having((name) => name.includes(pattern));
}

function namesOf({ id, name, modelName }: Named): string[] {
  return [name, modelName, id.tool, ...spellings(id)];
}
