import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import {
  changeKinds,
  entryKinds,
  type WorkKind,
  workKinds,
} from "../../../model/catalogue/change.ts";
import type { Change } from "../../../model/catalogue/change-schema.ts";
import {
  parseArgumentText,
  type ToolArgument,
  type WrittenManifest,
} from "../../../model/catalogue/tool.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type Json } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { registryOperations } from "../../../operations/declared/registry.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import {
  colors,
  joinLines,
  print,
  printJson,
  printStatus,
  printWarning,
  renderTable,
  show,
} from "../terminal/output.ts";
import { viewsOf } from "../view.ts";
import { withPlane } from "../with-plane.ts";
import { openSetup } from "./config.ts";
import { readSource, toChoice } from "./option-values.ts";

export const showSummary = viewsOf(registryOperations)("registry.summary", {
  text({ revision, persona, compatibility, tools, skills, tasks, jobs }) {
    const audience = persona === null ? "all personas" : `persona '${persona}'`;
    const rows = tools.map((tool) => [
      tool.name,
      tool.version,
      tool.persona ?? "shared",
      Object.keys(tool.health.providers).join(", "),
      renderRate(tool.health.tool),
    ]);
    return joinLines(
      `Revision ${revision}, for ${audience}: ${compatibility.shared} shared tools, ${compatibility.persona_specific} of a persona.`,
      `Skills: ${namesOf(skills)}. Tasks: ${namesOf(tasks)}. Jobs: ${namesOf(jobs)}.`,
      tools.length > 0 &&
        renderTable(["TOOL", "VERSION", "PERSONA", "PROVIDERS", "SUCCEEDED"], rows),
    );
  },
});

function namesOf(entries: readonly { name: string }[]): string {
  return entries.map(({ name }) => name).join(", ") || "none";
}

function renderRate({ total, success_rate }: { total: number; success_rate: number }): string {
  if (total === 0) return "not called yet";
  return `${Math.round(success_rate * 100)} % of ${total}`;
}

const fromCli = { face: "cli" } as const;

/** The bundle goes to standard output, what is said about it to people. */
export async function exportBundle(
  cli: Cli,
  names: readonly string[],
  options: GlobalOptions & { kind?: string[] },
): Promise<void> {
  const choice = withoutUndefined({
    names: names.length === 0 ? undefined : names,
    persona: options.persona,
    kinds: options.kind?.flatMap((kind) => toChoice("--kind", kind, entryKinds) ?? []),
  });
  const exported = await withPlane(cli, options, (plane) => plane.registry.export(choice, fromCli));
  if (options.json) return printJson(exported);
  print(exported.bundle);
  printStatus(
    `${countOf(exported.entries.length, "entry", "entries")}, signed with ${exported.fingerprint}.`,
  );
}

export async function importBundle(
  cli: Cli,
  file: string,
  options: GlobalOptions & { reason?: string; dryRun?: boolean },
): Promise<void> {
  const bundle = await readSource(file);
  const importOptions = withoutUndefined({ reason: options.reason, dryRun: options.dryRun });
  const imported = await withPlane(cli, options, (plane) =>
    plane.registry.import(bundle, importOptions, fromCli),
  );
  if (options.json) return printJson(imported);
  for (const warning of imported.warnings) printWarning(warning);
  const rows = imported.entries.map((bundled) => [
    bundled.change,
    bundled.kind,
    nameWithPersona(bundled),
    bundled.covers === null ? "" : `takes precedence over ${bundled.covers}`,
  ]);
  print(renderTable(["CHANGE", "KIND", "NAME", ""], rows));
  const exporterNote = imported.exportedBy === null ? "" : ` by ${imported.exportedBy}`;
  printStatus(
    `${imported.dryRun ? "Nothing was changed. " : ""}Exported ${imported.exportedAt}${exporterNote}, signed with ${imported.fingerprint}.`,
  );
}

export async function deleteEntry(
  cli: Cli,
  kind: string,
  name: string,
  options: GlobalOptions & { reason?: string },
): Promise<void> {
  const workKind = workKinds.find((candidate) => candidate === kind);
  if (workKind === undefined) throw wrongKind(kind, name);
  const { persona } = options;
  const deleteOptions = withoutUndefined({ persona, reason: options.reason });
  const wasDeleted = await withPlane(cli, options, (plane) =>
    plane.registry.delete(workKind, name, deleteOptions, fromCli),
  );
  if (!wasDeleted) throw notThere(workKind, name, persona);
  show(
    options,
    { kind, name, persona: persona ?? null, deleted: true },
    () => `Deleted ${kind} '${name}'.`,
  );
}

function wrongKind(kind: string, name: string): PlaneError {
  const hint = kind === "tool" ? ` Tools are deleted with 'toolplane tools delete ${name}'.` : "";
  return new PlaneError("USAGE", `'${kind}' is not one of ${workKinds.join(", ")}.${hint}`);
}

function ofPersona(persona: string | undefined): string {
  return persona === undefined ? "" : ` of persona '${persona}'`;
}

function nameWithPersona({ name, persona }: { name: string; persona: string | null }): string {
  return persona === null ? name : `${name} (${persona})`;
}

function notThere(kind: WorkKind, name: string, persona: string | undefined): PlaneError {
  return new PlaneError(
    "NOT_FOUND",
    `No ${kind} '${name}'${ofPersona(persona)} was brought by a bundle. 'toolplane registry summary' shows what there is.`,
    { data: { [kind]: name } },
  );
}

type SetOptions = TextOptions<
  "server" | "tool" | "description" | "sideEffects" | "state" | "reason"
> &
  Partial<Record<"argument" | "toolGroup" | "applicableStates", string[]>> & { forAll?: boolean };

/** What a wrapper says and a file says itself, with the flag of each. */
const wrapperFlags = {
  description: "--description",
  argument: "--argument",
  sideEffects: "--side-effects",
  toolGroup: "--tool-group",
  state: "--state",
  applicableStates: "--applicable-states",
} as const;

export async function setTool(cli: Cli, nameOrFile: string, options: SetOptions): Promise<void> {
  const isWrapper = options.server !== undefined || options.tool !== undefined;
  const written = isWrapper ? null : await readManifest(cli, nameOrFile, options);
  const done = await withPlane(cli, options, async (plane) => {
    const manifest = written ?? (await writeWrapper(plane, nameOrFile, options));
    const { reason, forAll } = options;
    return plane.tools.set(manifest, withoutUndefined({ reason, forAll }), fromCli);
  });
  if (options.json) return printJson(done);
  for (const warning of done.warnings) printWarning(warning);
  const coverNote =
    done.covers === null ? "" : ` It takes precedence over the one of ${done.covers}.`;
  print(
    `${done.change === "unchanged" ? "Nothing to change in" : "Set"} '${done.name}' (${done.change}).${coverNote}`,
  );
}

export async function deleteTool(
  cli: Cli,
  name: string,
  options: TextOptions<"reason">,
): Promise<void> {
  const { persona } = options;
  const wasDeleted = await withPlane(cli, options, (plane) =>
    plane.tools.delete(name, withoutUndefined({ persona, reason: options.reason }), fromCli),
  );
  if (!wasDeleted) {
    throw new PlaneError(
      "NOT_FOUND",
      `No tool '${name}'${ofPersona(persona)} was set here. 'toolplane tools list' shows what there is.`,
      { data: { tool: name } },
    );
  }
  show(options, { name, persona: persona ?? null, deleted: true }, () => `Deleted '${name}'.`);
}

async function readManifest(cli: Cli, file: string, options: SetOptions): Promise<WrittenManifest> {
  const wrapperFlag = Object.entries(wrapperFlags).find(
    ([key]) => options[key as keyof SetOptions] !== undefined,
  );
  if (wrapperFlag !== undefined)
    throw usage(`${wrapperFlag[1]} is only for --server and --tool; set it in the file instead.`);
  const readFile = async () => (await openSetup(cli, options)).readManifest(file);
  const manifest = await (file === "-" ? readStandardInput() : readFile());
  if (isObject(manifest)) return manifest as WrittenManifest;
  throw usage(
    `'${file}' must hold one manifest. Several at once travel with 'toolplane registry import'.`,
  );
}

async function readStandardInput(): Promise<unknown> {
  const text = await readSource("-");
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw usage(`Standard input is not valid JSON: ${(thrown as Error).message}.`);
  }
}

/** A tool of a server under another name; without arguments of its own it takes the server's. */
async function writeWrapper(
  plane: Plane,
  name: string,
  options: SetOptions,
): Promise<WrittenManifest> {
  const { server, tool, argument, persona, toolGroup: group, state, applicableStates } = options;
  if (server === undefined || tool === undefined) throw usage("--server and --tool go together.");
  const isWhole = argument !== undefined && options.description !== undefined;
  const described = isWhole ? null : await describeRemote(plane, { server, tool });
  return {
    name,
    description: options.description ?? described?.description ?? name,
    ...(argument === undefined
      ? { parameters: described?.parameters as WrittenManifest["parameters"] }
      : { arguments: readArguments(argument) }),
    side_effects: (options.sideEffects ??
      described?.metadata.side_effects ??
      "network") as "network",
    providers: [{ name: "mcp", config: { server, tool } }],
    ...withoutUndefined({ persona, group, state, "applicable-states": applicableStates }),
  };
}

/** A remote tool that is offered only through another one is described by that, and its schema is completed later. */
async function describeRemote(plane: Plane, { server, tool }: { server: string; tool: string }) {
  try {
    return await plane.tools.get({ server, tool });
  } catch (thrown) {
    const tools = await plane.tools.list();
    const wrapper = tools.find(({ providers }) =>
      providers.some(
        ({ name, config }) => name === "mcp" && config.server === server && config.tool === tool,
      ),
    );
    if (!wrapper) throw thrown;
    return { ...wrapper, parameters: { type: "object" } };
  }
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", message);
}

/** Arguments written as `name:type:description`, where the description may hold colons. */
export function readArguments(texts: readonly string[]): ToolArgument[] {
  const toolArguments = texts.map((text) => {
    const argument = parseArgumentText(text);
    if ("problem" in argument) throw usage(`--argument '${text}' ${argument.problem}`);
    return argument;
  });
  const duplicate = toolArguments.find(
    ({ name }, index) => toolArguments.findIndex((argument) => argument.name === name) !== index,
  );
  if (duplicate) throw usage(`--argument '${duplicate.name}' is given twice.`);
  return toolArguments;
}

type ChangeOptions = TextOptions<"kind" | "limit" | "offset">;

/** How many lines of a change are shown to people; `--json` has them all. */
const shownLines = 20;

export async function listRegistryChanges(
  cli: Cli,
  name: string | undefined,
  options: ChangeOptions,
): Promise<void> {
  const query = withoutUndefined({
    name,
    persona: options.persona,
    kind: toChoice("--kind", options.kind, changeKinds),
    limit: toNumber("limit", options.limit),
    offset: toNumber("offset", options.offset),
  });
  const page = await withPlane(cli, options, (plane) => plane.registry.changes(query, fromCli));
  if (options.json) return printJson(page);
  if (page.count === 0) return print("Nothing has changed.");
  print(renderChanges(page.changes));
  const nextOffset = page.offset + page.count;
  if (nextOffset < page.total)
    printStatus(
      `${page.count} of ${countOf(page.total, "change")}; older ones with --offset ${nextOffset}`,
    );
}

function toNumber(key: "limit" | "offset", text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw usage(`--${key} '${text}' is not an integer.`);
  return Number(text);
}

function renderChanges(changes: readonly Change[]): string {
  const [head, ...lines] = renderTable(
    ["WHEN", "WHO", "WHAT", "NAME", "WHY"],
    changes.map((change) => [
      change.at.slice(0, 19).replace("T", " "),
      whoOf(change),
      change.kind === "listed" ? `listed ${change.count}` : `${change.kind} ${change.what}`,
      nameWithPersona(change),
      change.reason ?? "",
    ]),
  ).split("\n");
  const withDiffs = lines.flatMap((line, index) => [line, ...renderDiff(changes[index] as Change)]);
  return [head, ...withDiffs].join("\n");
}

function whoOf({ by: { system, user, face } }: Change): string {
  return system ?? `${user ?? "anonymous"} (${face})`;
}

/** Only what is different, each as where it stands and what it is. */
export function renderDiff({
  kind,
  before,
  after,
}: Pick<Change, "kind" | "before" | "after">): string[] {
  if (kind !== "changed") return [];
  const [oldLeaves, newLeaves] = [before, after].map((value) => new Map(leavesOf(value ?? {})));
  const paths = [...new Set([...(oldLeaves?.keys() ?? []), ...(newLeaves?.keys() ?? [])])];
  const lines = paths
    .filter((path) => oldLeaves?.get(path) !== newLeaves?.get(path))
    .flatMap((path) => [
      oldLeaves?.has(path) && colors.red(`  − ${path}: ${oldLeaves.get(path)}`),
      newLeaves?.has(path) && colors.green(`  + ${path}: ${newLeaves.get(path)}`),
    ])
    .filter((line) => typeof line === "string");
  if (lines.length <= shownLines) return lines;
  return [
    ...lines.slice(0, shownLines),
    colors.dim(`  … ${countOf(lines.length - shownLines, "more line")}, all with --json`),
  ];
}

function leavesOf(value: Json, path = ""): [path: string, text: string][] {
  const inner = membersOf(value, path);
  if (inner.length > 0) return inner.flatMap(([innerPath, member]) => leavesOf(member, innerPath));
  if (path === "") return [];
  return [[plainText(path), plainText(JSON.stringify(value))]];
}

function membersOf(value: Json, path: string): [path: string, member: Json][] {
  if (Array.isArray(value)) return value.map((member, index) => [`${path}[${index}]`, member]);
  if (!isObject(value)) return [];
  const prefix = path === "" ? "" : `${path}.`;
  return Object.entries(value).map(([key, member]) => [`${prefix}${key}`, member as Json]);
}
