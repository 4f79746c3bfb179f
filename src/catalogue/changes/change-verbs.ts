import type { Environment } from "../../config/config.ts";
import { checkManifestEntry } from "../../config/config.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { type Audience, type EntryKey, workKinds } from "../../model/catalogue/change.ts";
import type { EntryView } from "../../model/catalogue/change-schema.ts";
import type { ToolId } from "../../model/catalogue/tool.ts";
import type { Manifests } from "../../model/config/config.ts";
import { type ConfigProblem, renderConfigProblem } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Caller } from "../../model/plane.ts";
import type { PlaneRegistry, PlaneTools } from "../../model/plane-tools.ts";
import {
  type Inside,
  type KnownCaller,
  mayDo,
  type Principal,
  requireScope,
} from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import { type EffectiveOverlay, keepFixed } from "../overlays/overlay.ts";
import { schemaProblem } from "../sources/schema-problem.ts";
import { type EntryEdit, type EntryStore, toStoredManifest } from "./entries.ts";
import { maySee } from "./entry.ts";
import { appliesHere, type Configuration } from "./entry-origin.ts";

/** Shared by the verbs that edit entries. */
export type EditPorts = {
  entries: EntryStore;
  environment: Environment;
  /** The server's tool that this spelling means; null for a bare name. */
  discovered(name: string): Promise<ToolId | null>;
};

type ChangePorts = EditPorts & {
  store(): Promise<Store>;
  configuration(): Configuration;
  settled(): Promise<void>;
  maySeeServer(principal: Principal, server: string): boolean;
  isRegistered(name: string, persona: string | null): boolean;
  /** As they are at this moment. */
  overlays(): (id: ToolId) => EffectiveOverlay;
  /** The server's tool that is listed under this spelling now; no server is asked. */
  listed(name: string): ToolId | null;
  warningsOf(id: ToolId): string[];
};

const maxReason = 2_000;
const maxPage = 1_000;

export function createChangeVerbs(ports: ChangePorts): {
  tools: Pick<Inside<PlaneTools>, "set" | "delete" | "enable" | "disable">;
  registry: Pick<Inside<PlaneRegistry>, "delete" | "changes" | "entries" | "adopt">;
} {
  const { entries, discovered } = ports;
  /** Changes by programs are recorded first. */
  const edit: typeof entries.edit = async (...request) => {
    await ports.settled();
    return entries.edit(...request);
  };
  const beginChange = (caller: KnownCaller, reason: string | undefined) => {
    const { principal } = caller;
    requireScope(principal, "admin", "change the catalogue");
    return {
      principal,
      circumstances: { by: asPerson(caller, principal), reason: readReason(reason) },
    };
  };
  const switchTools = async (
    isOn: boolean,
    names: readonly string[],
    reason: string | undefined,
    caller: KnownCaller,
  ) => {
    const { principal, circumstances } = beginChange(caller, reason);
    const { changed, ...plannedEdit } = await planSwitch(isOn, names, principal.user, ports);
    if (changed.length > 0) await edit(plannedEdit, circumstances);
    return { changed };
  };
  const storedOverlay = async (name: string): Promise<EntryKey | null> => {
    const id = await discovered(name);
    const key: EntryKey = { kind: "overlay", name: id ? overlayName(id) : name, persona: null };
    return entries.stored(key) ? key : null;
  };

  return {
    tools: {
      async set(manifest, { reason, forAll: isForAll = false } = {}, caller) {
        const { principal, circumstances } = beginChange(caller, reason);
        if (!isObject(manifest))
          throw new PlaneError("ENTRY_INVALID", "A tool must be an object: its manifest.");
        const { put, warnings, id } = await checkTool(manifest, principal.user, ports);
        const [change] = await edit({ put: [put], remove: [], isForAll }, circumstances);
        const overlayWarnings = id === null ? [] : ports.warningsOf(id);
        return {
          ...(change as NonNullable<typeof change>),
          warnings: [...warnings, ...overlayWarnings],
        };
      },
      enable: (names, { reason } = {}, caller) => switchTools(true, names, reason, caller),
      disable: (names, { reason } = {}, caller) => switchTools(false, names, reason, caller),
      async delete(name, { persona = null, reason } = {}, caller) {
        const { circumstances } = beginChange(caller, reason);
        await entries.reload();
        const key: EntryKey = { kind: "tool", name, persona };
        const stored = entries.stored(key) ? key : await storedOverlay(name);
        if (!stored) return refuseUnstored(key, ports);
        await edit({ put: [], remove: [stored] }, circumstances);
        return true;
      },
    },
    registry: {
      async delete(kind, name, { persona = null, reason } = {}, caller) {
        const { circumstances } = beginChange(caller, reason);
        if (!workKinds.includes(kind))
          throw new PlaneError(
            "USAGE",
            `Cannot delete kind '${kind}'. Use one of ${workKinds.join(", ")}.`,
          );
        await entries.reload();
        const key: EntryKey = { kind, name, persona };
        const file = entries.inFiles(key);
        if (entries.stored(key) === undefined) {
          if (file === undefined) return false;
          throw conflict(
            key,
            `comes from the file '${file.source.replace("manifest:", "")}'. Remove it there.`,
          );
        }
        // A file's entry of that name takes its place.
        const users = file === undefined ? usersOf(key, entries.manifests()) : [];
        if (users.length > 0)
          throw conflict(key, `is needed by ${users.join(", ")}. Delete or change that first.`);
        await edit({ put: [], remove: [key] }, circumstances);
        return true;
      },
      changes: createHistoryVerb(ports),
      async entries({ everywhere = false } = {}, { principal }) {
        requireScope(principal, "admin", "list what was written by hand");
        const listed = await entries.listed();
        return { entries: everywhere ? listed : listed.filter(isOurs) };
      },
      async adopt(file, { reason } = {}, caller) {
        const { circumstances } = beginChange(caller, reason);
        await entries.loaded();
        const adopted = await entries.ofGone(file);
        if (adopted.put.length === 0) throw nothingToAdopt(file);
        return { entries: await edit(adopted, circumstances) };
      },
    },
  };
}

function nothingToAdopt(file: string): PlaneError {
  const text =
    `Nothing that was set by hand belongs to a configuration '${file}' that is gone. ` +
    "'toolplane registry entries --everywhere' lists what is stored and for whom.";
  return new PlaneError("NOT_FOUND", text, { data: { file } });
}

function isOurs({ origin }: EntryView): boolean {
  return origin === "here" || origin === "all";
}

const overlayName = ({ server, tool }: ToolId) => `${server}.${tool}`;

/** A manifest under the name of a server's tool is its overlay. */
async function checkTool(manifest: UnknownObject, user: string | null, ports: ChangePorts) {
  const id = await overlaidBy(manifest, ports.discovered);
  await ports.entries.loaded();
  const { kind, name, written } = entryOf(manifest, id, ports);
  const checked = await checkManifestEntry(kind, written, ports.environment);
  const problems = [...checked.problems];
  if (id === null) problems.push(...checked.unusable, ...schemaProblems(manifest.parameters));
  if (!checked.manifest || problems.length > 0) throw invalidEntry(name ?? checked.name, problems);
  const warnings = checked.warnings.map(({ path, message }) => `${path}: ${message}`);
  return { put: toStoredManifest(kind, checked.manifest, user), warnings, id };
}

function entryOf(manifest: UnknownObject, id: ToolId | null, { overlays }: ChangePorts) {
  if (id === null) return { kind: "tool" as const, written: manifest };
  const name = overlayName(id);
  const written = keepFixed({ ...manifest, name }, overlays()(id).overlay);
  return { kind: "overlay" as const, name, written };
}

/** What has to be stored so that these tools are on or off. An overlay that says nothing else goes. */
async function planSwitch(
  isOn: boolean,
  names: readonly string[],
  user: string | null,
  ports: ChangePorts,
) {
  await ports.entries.loaded();
  const ids = new Map<string, ToolId>();
  for (const name of names) {
    const id = ports.listed(name) ?? (await ports.discovered(name));
    if (id === null) {
      const text = `No server lists a tool '${name}'. 'toolplane tools list' shows what there is.`;
      throw new PlaneError("NOT_FOUND", text, { data: { tool: name } });
    }
    ids.set(overlayName(id), id);
  }
  const overlayOf = ports.overlays();
  const plan = {
    put: [] as EntryEdit["put"][number][],
    remove: [] as EntryKey[],
    changed: [] as string[],
  };
  for (const [name, id] of ids) {
    const { overlay = {}, isElsewhere } = overlayOf(id);
    const { enabled = true, ...otherFields } = overlay;
    if (enabled === isOn) continue;
    plan.changed.push(name);
    if (isOn && Object.keys(otherFields).length === 0 && !isElsewhere) {
      plan.remove.push({ kind: "overlay", name, persona: null });
      continue;
    }
    const written: UnknownObject = { ...otherFields, name };
    if (!isOn) written.enabled = false;
    const { manifest, problems } = await checkManifestEntry("overlay", written, ports.environment);
    if (!manifest || problems.length > 0) throw invalidEntry(name, problems);
    plan.put.push(toStoredManifest("overlay", manifest, user));
  }
  return plan;
}

function createHistoryVerb({
  entries,
  settled,
  store,
  configuration,
  maySeeServer,
}: ChangePorts): Inside<PlaneRegistry>["changes"] {
  return async ({ limit = 50, offset = 0, ...filter } = {}, { principal }) => {
    requireNumber("limit", limit, 1, maxPage);
    requireNumber("offset", offset, 0, Number.MAX_SAFE_INTEGER);
    await entries.loaded();
    await settled();
    const { changeAudiences, changes } = await store();
    // A caller without persona may look at what any of them has, as in the catalogue.
    const viewer = { ...principal, persona: principal.persona ?? filter.persona ?? null };
    const mayLookAtAll = mayDo(principal, "admin");
    const isFor = (text: string) => {
      const audience = JSON.parse(text) as Audience;
      if (!appliesHere(audience, configuration())) return false;
      return mayLookAtAll || maySee(viewer, audience, (server) => maySeeServer(viewer, server));
    };
    const seesEverything = mayLookAtAll && configuration() === null;
    const audiences = seesEverything ? null : (await changeAudiences()).filter(isFor);
    const page = await changes({ filter, audiences, limit, offset });
    return { changes: page.changes, count: page.changes.length, total: page.total, offset, limit };
  };
}

export function asPerson({ face = "library" }: Caller, { user }: Principal) {
  return { user, face, system: null };
}

export function readReason(reason: string | undefined): string | null {
  if (reason === undefined) return null;
  if (typeof reason !== "string" || reason.length > maxReason)
    throw new PlaneError("USAGE", `'reason' must be a string of at most ${maxReason} characters.`);
  return reason.trim() || null;
}

export function schemaProblems(parameters: unknown): ConfigProblem[] {
  const problem = schemaProblem(parameters ?? {});
  if (problem === null) return [];
  return [
    {
      file: "(given)",
      line: null,
      path: "parameters",
      severity: "error",
      message: problem,
      hint: null,
    },
  ];
}

export function invalidEntry(name: string | undefined, problems: ConfigProblem[]): PlaneError {
  const subject = name === undefined ? "The tool" : `The tool '${name}'`;
  const reasons = problems.map((problem) => renderConfigProblem(problem).replace("(given): ", ""));
  return new PlaneError("ENTRY_INVALID", `${subject} cannot be set. ${reasons.join("\n")}`, {
    data: { problems, ...withoutUndefined({ tool: name }) },
  });
}

/** A server's tool is never replaced: an entry of its name is an overlay. */
async function overlaidBy(
  manifest: UnknownObject,
  discovered: EditPorts["discovered"],
): Promise<ToolId | null> {
  const { name } = manifest;
  const id = typeof name === "string" && name.trim() !== "" ? await discovered(name) : null;
  if (id === null || (manifest.providers === undefined && manifest.parameters === undefined))
    return id;
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

/** Says where a tool has to be removed that is not stored; false if there is none. */
async function refuseUnstored(
  key: EntryKey,
  { entries, discovered, isRegistered }: ChangePorts,
): Promise<false> {
  const { name, persona } = key;
  const written = entries.inFiles(key);
  if (written?.source === "config")
    throw conflict(key, "is in the section 'tools' of the configuration. Remove it there.");
  if (written)
    throw conflict(
      key,
      `comes from the file '${written.source.replace("manifest:", "")}'. Remove it there.`,
    );
  if (isRegistered(name, persona))
    throw conflict(key, "is registered by the program that runs this plane.");
  const id = await discovered(name);
  if (id)
    throw conflict(
      key,
      `is offered by server '${id.server}'. Keep it out with 'deny_tools' of that server.`,
    );
  return false;
}

/** The tasks and jobs that would miss a skill or task: the owner's, and all of them for a shared one. */
function usersOf({ kind, name, persona }: EntryKey, { tasks, jobs, skills }: Manifests): string[] {
  if (kind === "job") return [];
  const ofKind = kind === "skill" ? skills : tasks;
  const isShared = ofKind.some((entry) => entry.name === name && entry.persona === undefined);
  if (isShared && persona !== null) return [];
  const isConcerned = ({ persona: owner }: { persona?: string | undefined }) =>
    persona === null || owner === undefined || owner === persona;
  const ofTasks = tasks.filter((task) => kind === "skill" && task.required_skills.includes(name));
  const ofJobs = jobs.filter((job) => {
    if (kind === "skill") return job.required_skills.includes(name);
    return job.task_graph.some(({ task }) => task === name);
  });
  return [
    ...ofTasks.filter(isConcerned).map((task) => `task '${task.name}'`),
    ...ofJobs.filter(isConcerned).map((job) => `job '${job.name}'`),
  ];
}

function conflict({ kind, name }: EntryKey, why: string): PlaneError {
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return new PlaneError("CONFLICT", `${title} '${name}' ${why}`, { data: { [kind]: name } });
}

function requireNumber(name: string, value: unknown, min: number, max: number): void {
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return;
  const range =
    max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `between ${min} and ${max}`;
  throw new PlaneError("USAGE", `'${name}' must be an integer ${range}.`, {
    data: { parameter: name },
  });
}
