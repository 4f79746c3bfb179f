import type { ToolId } from "./tool.ts";

const modelNameLimit = 64;
const hashLength = 8;

/** Every spelling people and other systems use for one tool. Rendered and looked up, never split. */
function spellings({ server, tool }: ToolId): string[] {
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

/** Could this spelling mean a tool of that server? A hint for what to start first, not an answer. */
export function mayBelongTo(server: string, spelling: string): boolean {
  return spellings({ server, tool: "" }).some((prefix) => spelling.startsWith(prefix));
}

function displayName({ server, tool }: ToolId): string {
  return server === null ? tool : `${server}.${tool}`;
}

function safe(text: string): string {
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
  return `${safe(plainModelName({ server, tool: id.tool })).slice(0, room)}_${hash}`;
}

/** Depends on the set of tools only, not on their order, so that two runs agree. */
function modelNames(ids: readonly ToolId[]): Map<string, string> {
  const groups = groupBy(ids, (id) => [safe(plainModelName(id))]);
  const names = new Map<string, string>();
  const keepers: [ToolId, string][] = [];
  for (const [name, group] of groups) {
    const exact = group.filter((id) => plainModelName(id) === name);
    const keeper = group.length === 1 ? group[0] : exact.length === 1 ? exact[0] : undefined;
    const fits = name.length > 0 && name.length <= modelNameLimit;
    for (const id of group) {
      if (id === keeper && fits) keepers.push([id, name]);
      else names.set(toolKey(id), hashedModelName(id));
    }
  }
  const hashed = new Set(names.values());
  for (const [id, name] of keepers) names.set(toolKey(id), hashed.has(name) ? hashedModelName(id) : name);
  return names;
}

function groupBy(ids: readonly ToolId[], render: (id: ToolId) => string[]): Map<string, ToolId[]> {
  const groups = new Map<string, ToolId[]>();
  for (const id of ids) {
    for (const spelling of render(id)) {
      const group = groups.get(spelling);
      if (group) group.push(id);
      else groups.set(spelling, [id]);
    }
  }
  return groups;
}

export type NameMatch = { kind: "one"; id: ToolId } | { kind: "many"; ids: ToolId[] } | { kind: "none" };

export type ToolNameIndex = {
  /** What people read and type; unique. */
  name(id: ToolId): string;
  /** What a model is shown; unique and fit for every model API. */
  modelName(id: ToolId): string;
  find(spelling: string): NameMatch;
  /** Spellings that several tools answer to; each tool still has names of its own. */
  collisions(): { spelling: string; names: string[] }[];
};

/**
 * A spelling is looked up in ranks: the listed name, the name shown to models, the other spellings, the
 * bare tool name. The first rank that knows it decides; several hits in that rank are never silently
 * reduced to one.
 */
export function createToolNameIndex(ids: readonly ToolId[]): ToolNameIndex {
  const forModels = modelNames(ids);
  const modelName = (id: ToolId) => forModels.get(toolKey(id)) ?? hashedModelName(id);
  const displayed = groupBy(ids, (id) => [displayName(id)]);
  const name = (id: ToolId) => {
    const shared = (displayed.get(displayName(id))?.length ?? 0) > 1;
    return shared ? modelName(id) : displayName(id);
  };
  const ranks = [
    once(() => groupBy(ids, (id) => [name(id)])),
    once(() => groupBy(ids, (id) => [modelName(id)])),
    once(() => groupBy(ids, spellings)),
    once(() => groupBy(ids, (id) => [id.tool])),
  ] as const;

  return {
    name,
    modelName,
    find(spelling) {
      for (const rank of ranks) {
        const found = rank().get(spelling) ?? [];
        if (found.length > 1) return { kind: "many", ids: found };
        if (found[0]) return { kind: "one", id: found[0] };
      }
      return { kind: "none" };
    },
    collisions: () =>
      [...ranks[2]()]
        .filter(([, group]) => group.length > 1)
        .map(([spelling, group]) => ({ spelling, names: group.map(name) })),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
