import { nearest } from "../lib/text/nearest.ts";
import { PlaneError } from "../model/errors.ts";
import type { Tool, ToolId } from "../model/catalogue/tool.ts";
import { mayBelongTo } from "../model/catalogue/tool-name.ts";
import { idsOf, type Snapshot } from "./registry.ts";

export type Discovery = {
  snapshot(): Snapshot;
  servers(): string[];
  /** Makes these servers, or all, list their tools. */
  discover(servers?: readonly string[]): Promise<void>;
  /** Why a server offers no tools, or null. */
  trouble(server: string): string | null;
  /** What a person has to do first, or null. */
  requirement(server: string): PlaneError | null;
  /** The tools that may be suggested to this caller. */
  visible(): readonly Tool[];
  /** May the caller use it? By default, what is `visible`. */
  mayUse?(tool: Tool): boolean;
  /** Is a tool that the caller may not use still an answer, rather than not found? */
  shows?(tool: Tool): boolean;
};

/** Finds a tool by name or identity, starting no more servers than the name can mean. */
export async function findTool(asked: string | ToolId, discovery: Discovery): Promise<Tool> {
  const { snapshot, servers, discover } = discovery;
  if (typeof asked !== "string") {
    if (asked.server !== null) await discover([asked.server]);
    return shown(snapshot().byId(asked), discovery) ?? refuse(spell(asked), discovery);
  }
  const likely = servers().filter((server) => mayBelongTo(server, asked));
  const handWritten = shown(snapshot().byId({ server: null, tool: asked }), discovery);
  if (handWritten && likely.length === 0) return handWritten;
  if (likely.length > 0) {
    await discover(likely);
    const found = lookUp(asked, discovery);
    // Another spelling of a forbidden tool may be the name of an allowed one.
    if (found && (found.name === asked || isUsable(found, discovery))) return found;
  }
  await discover();
  return lookUp(asked, discovery) ?? refuse(asked, discovery);
}

function isUsable(tool: Tool, { visible, mayUse }: Discovery): boolean {
  return mayUse?.(tool) ?? visible().includes(tool);
}

function shown(tool: Tool | undefined, { shows }: Discovery): Tool | undefined {
  return tool && (shows?.(tool) ?? true) ? tool : undefined;
}

/** A tool that the caller may not use is an answer only if there is no other. */
function lookUp(spelling: string, discovery: Discovery): Tool | undefined {
  const { index, byId } = discovery.snapshot();
  const found = (accepts: (tool: Tool) => boolean) => {
    const match = index.find(spelling, (id) => {
      const tool = byId(id);
      return tool !== undefined && accepts(tool);
    });
    return idsOf(match).flatMap((id) => byId(id) ?? []);
  };
  const [first, ...others] = found((tool) => isUsable(tool, discovery));
  if (first === undefined) {
    const hidden = found((tool) => shown(tool, discovery) !== undefined);
    return hidden.length === 1 ? hidden[0] : undefined;
  }
  if (others.length === 0) return first;
  const names = [first, ...others].map(({ name }) => name).sort();
  throw new PlaneError(
    "TOOL_AMBIGUOUS",
    `'${spelling}' could be ${names.map((name) => `'${name}'`).join(" or ")}. Use one of these names.`,
    { data: { tool: spelling, candidates: names } },
  );
}

function refuse(spelling: string, { visible, servers, trouble, requirement }: Discovery): never {
  const silent = servers().flatMap((server) => ({ server, why: trouble(server) }));
  const troubles = silent.filter(({ why }) => why !== null);
  const blocked = troubles.filter(({ server }) => mayBelongTo(server, spelling));
  for (const { server } of blocked) {
    const first = requirement(server);
    if (first) throw first;
  }
  if (blocked.length > 0) {
    const reasons = blocked.map(({ why }) => why).join(" ");
    throw new PlaneError("SERVER_UNAVAILABLE", `Tool '${spelling}' cannot be looked up. ${reasons}`, {
      data: { tool: spelling, ...(blocked[0] ? { server: blocked[0].server } : {}) },
    });
  }
  const names = visible().map(({ name, modelName }) => (spelling.includes("__") ? modelName : name));
  const near = nearest(spelling, names);
  const unasked = troubles.slice(0, maxTroubles).map(({ why }) => ` ${why}`);
  const others = troubles.length - unasked.length;
  if (others > 0) unasked.push(` ${others} more ${others === 1 ? "is" : "are"} not available.`);
  throw new PlaneError("TOOL_NOT_FOUND", `No tool '${spelling}'. ${hint(near, names.length)}${unasked.join("")}`, {
    data: { tool: spelling, nearest: near },
  });
}

const maxTroubles = 3;

function hint(near: readonly string[], known: number): string {
  if (near.length > 0) return `Did you mean ${near.map((name) => `'${name}'`).join(" or ")}?`;
  if (known > 0) return "'toolplane tools list' shows what there is.";
  return "The catalogue is empty; 'toolplane servers list' shows why.";
}

function spell({ server, tool }: ToolId): string {
  return server === null ? tool : `${server}.${tool}`;
}
