import { checkEntry } from "../../config/manifests/check-entry.ts";
import type { Environment } from "../../config/config.ts";
import type { Audience, EntryKey } from "../../model/catalogue/change.ts";
import type { ToolId, ToolOverlay } from "../../model/catalogue/tool.ts";
import { type ConfigProblem, renderProblem } from "../../model/config/config.ts";



import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import { mayDo, type Principal, requireScope } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";

import type { Verbs } from "../../model/verbs.ts";
import { keepFixed } from "../overlays/overlay-values.ts";
import { schemaProblem } from "../sources/schema-problem.ts";
import { maySee } from "./audience.ts";
import { type Entries, toKept } from "./entries.ts";

type Parts = {
  entries: Entries;
  store(): Promise<Store>;
  /** Everything that was seen is written. */
  settled(): Promise<void>;
  defaultPrincipal: Principal;
  maySeeServer(principal: Principal, server: string): boolean;
  environment: Environment;
  /** The tool of a server that has this name and is not only called so for short. */
  discovered(name: string): Promise<ToolId | null>;
  isRegistered(name: string, persona: string | null): boolean;
  /** What is said about a tool of a server until now. */
  overlayOf(id: ToolId): ToolOverlay | undefined;
  /** What does not fit together in what is said about a tool. */
  warningsOf(id: ToolId): string[];
};

const maxReason = 2_000;
const largestPage = 1_000;

/** What people change in the catalogue, and what was changed by whom. */
export function createChangeVerbs(parts: Parts): Pick<Verbs, "setTool" | "deleteTool" | "changes"> {
  const { entries, defaultPrincipal, environment } = parts;
  /** What programs changed before is on record first. */
  const edit: typeof entries.edit = async (...given) => {
    await parts.settled();
    return entries.edit(...given);
  };
  return {
    async setTool(manifest, { reason } = {}, caller = {}) {
      const { principal = defaultPrincipal } = caller;
      requireScope(principal, "admin", "change the catalogue");
      const why = readReason(reason);
      if (!isObject(manifest)) throw new PlaneError("ENTRY_INVALID", "A tool must be an object: its manifest.");
      const id = await discoveredAs(manifest, parts.discovered);
      if (id !== null) return setOverlay(id, manifest, why, caller);
      const { name, manifest: checked, problems, unusable, warnings } = await checkEntry("tool", manifest, environment);
      const found = [...problems, ...unusable, ...schemaProblems(manifest.parameters)];
      if (!checked || found.length > 0) throw invalidEntry(name, found);
      await entries.loaded();
      const kept = toKept("tool", checked, principal.user);
      const [change] = await edit({ put: [kept], remove: [] }, { by: asPerson(caller, principal), reason: why });
      const told = warnings.map(({ path, message }) => `${path}: ${message}`);
      return { ...(change as NonNullable<typeof change>), warnings: told };
    },
    async deleteTool(name, { persona = null, reason } = {}, caller = {}) {
      const { principal = defaultPrincipal } = caller;
      requireScope(principal, "admin", "change the catalogue");
      const why = readReason(reason);
      await entries.reload();
      const key: EntryKey = { kind: "tool", name, persona };
      const overlay = entries.stored(key) ? null : await storedOverlay(name);
      if (!overlay && !entries.stored(key)) return refuseOthers(key, parts);
      await edit({ put: [], remove: [overlay ?? key] }, { by: asPerson(caller, principal), reason: why });
      return true;
    },
    async changes({ limit = 50, offset = 0, ...filter } = {}, { principal = defaultPrincipal } = {}) {
      requireNumber("limit", limit, 1, largestPage);
      requireNumber("offset", offset, 0, Number.MAX_SAFE_INTEGER);
      await entries.loaded();
      await parts.settled();
      const { changeAudiences, changes } = await parts.store();
      // Somebody who is no persona may look at what any of them has, as in the catalogue.
      const viewer = { ...principal, persona: principal.persona ?? filter.persona ?? null };
      const audiences = mayDo(principal, "admin")
        ? null
        : (await changeAudiences()).filter((text) =>
            maySee(viewer, JSON.parse(text) as Audience, (server) => parts.maySeeServer(viewer, server)),
          );
      const page = await changes({ filter, audiences, limit, offset });
      return { changes: page.changes, count: page.changes.length, total: page.total, offset, limit };
    },
  };

  async function setOverlay(
    id: ToolId,
    given: Parameters<Plane["tools"]["set"]>[0],
    reason: string | null,
    caller: Caller,
  ) {
    const { principal = defaultPrincipal } = caller;
    const name = `${id.server}.${id.tool}`;
    await entries.loaded();
    const said = keepFixed({ ...given, name }, parts.overlayOf(id));
    const checked = await checkEntry("overlay", said, environment);
    if (!checked.manifest || checked.problems.length > 0) throw invalidEntry(name, checked.problems);
    const put = [toKept("overlay", checked.manifest, principal.user)];
    const [change] = await edit({ put, remove: [] }, { by: asPerson(caller, principal), reason });
    const told = checked.warnings.map(({ path, message }) => `${path}: ${message}`);
    return { ...(change as NonNullable<typeof change>), warnings: [...told, ...parts.warningsOf(id)] };
  }

  async function storedOverlay(name: string): Promise<EntryKey | null> {
    const id = await parts.discovered(name);
    const key = {
      kind: "overlay",
      name: id === null ? name : `${id.server}.${id.tool}`,
      persona: null,
    } as const;
    return entries.stored(key) ? key : null;
  }
}

export function asPerson({ face = "library" }: Caller, { user }: Principal) {
  return { user, face, system: null };
}

export function readReason(reason: string | undefined): string | null {
  if (reason === undefined) return null;
  if (typeof reason !== "string" || reason.length > maxReason)
    throw new PlaneError("USAGE", `'reason' must be a text of at most ${maxReason} characters.`);
  return reason.trim() === "" ? null : reason.trim();
}

export function schemaProblems(parameters: unknown): ConfigProblem[] {
  const problem = schemaProblem(parameters ?? {});
  if (problem === null) return [];
  return [{ file: "(given)", line: null, path: "parameters", severity: "error", message: problem, hint: null }];
}

export function invalidEntry(name: string | undefined, problems: ConfigProblem[]): PlaneError {
  const which = name === undefined ? "The tool" : `The tool '${name}'`;
  const told = problems.map((problem) => renderProblem(problem).replace("(given): ", ""));
  return new PlaneError("ENTRY_INVALID", `${which} cannot be set. ${told.join("\n")}`, {
    data: { problems, ...(name === undefined ? {} : { tool: name }) },
  });
}

/** A server's tool is never replaced: what is set under its name is said on top of it. */
async function discoveredAs(manifest: UnknownObject, discovered: Parts["discovered"]): Promise<ToolId | null> {
  const { name } = manifest;
  const id = typeof name === "string" && name.trim() !== "" ? await discovered(name) : null;
  if (id === null || (manifest.providers === undefined && manifest.parameters === undefined)) return id;
  throw new PlaneError("CONFLICT", `${discoveredProblem(String(name), id)}.`, {
    data: { tool: String(name) },
  });
}

export function discoveredProblem(name: string, { server }: ToolId): string {
  return (
    `'${name}' is a tool of server '${server}' and cannot be replaced, only overlaid with a ` +
    "description, arguments and metadata. Give yours another name and let its provider call this one"
  );
}

async function refuseOthers({ name, persona }: EntryKey, { entries, discovered, isRegistered }: Parts): Promise<false> {
  const written = entries.inFiles({ kind: "tool", name, persona });
  const refuse = (why: string) => new PlaneError("CONFLICT", `Tool '${name}' ${why}`, { data: { tool: name } });
  if (written?.source === "config") throw refuse("is in the section 'tools' of the configuration. Remove it there.");
  if (written) throw refuse(`comes from the file '${written.source.replace("manifest:", "")}'. Remove it there.`);
  if (isRegistered(name, persona)) throw refuse("is registered by the program that runs this plane.");
  const id = await discovered(name);
  if (id) throw refuse(`is offered by server '${id.server}'. Keep it out with 'deny_tools' of that server.`);
  return false;
}

function requireNumber(name: string, value: unknown, least: number, most: number): void {
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `between ${least} and ${most}`;
  throw new PlaneError("USAGE", `'${name}' must be a whole number ${range}.`, { data: { parameter: name } });
}
