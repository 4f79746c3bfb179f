import { looksSecret } from "../../lib/text/redact.ts";
import type { EntryKind } from "../../model/catalogue/change.ts";
import { type NamedOverlay, type ToolManifest, ToolOverlay } from "../../model/catalogue/tool.ts";
import type { ConfigProblem } from "../../model/config/config.ts";
import { isObject, type Path, renderPath, type UnknownObject } from "../../model/json.ts";
import type { JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { SkillManifest } from "../../model/work/skill.ts";
import { checkProviders } from "../check-providers.ts";
import { workingDirectory } from "../environment.ts";
import { parseValue, type Report } from "../parse-value.ts";
import type { Environment } from "../secrets/expand-environment.ts";
import { mapTexts } from "../secrets/map-texts.ts";
import { maskText } from "../secrets/mask-text.ts";
import { findReferences } from "../secrets/references.ts";
import { fieldsOf } from "../shapes/field.ts";
import { createReading } from "../shapes/reading.ts";
import { readRemark } from "../shapes/tool-remarks.ts";
import { overlayTree } from "../shapes/trees.ts";
import { checkTool } from "./check-tool.ts";
import { checkJob, checkSkill, checkTask } from "./check-work.ts";
import { type Entry, toEntry } from "./entries.ts";

/** What belongs to a tool of one's own and never to a server's. */
const ownTools: readonly string[] = ["parameters", "providers", "persona", "owner", "auth"];

/** An overlay that was given instead of read from a file. `tell` hears what was left out. */
function checkOverlay(
  name: string,
  given: UnknownObject,
  report: Report,
  tell: (problem: ConfigProblem) => void,
): NamedOverlay | undefined {
  const reading = createReading((source) => ({ file: "(given)", line: null, path: source.join(".") }));
  const said: UnknownObject = {};
  for (const field of fieldsOf(given, [])) {
    if (field.key === "name" || field.key === "kind" || (field.value ?? null) === null) continue;
    if (ownTools.includes(field.key))
      report(
        [field.key],
        `cannot be said about a tool of a server`,
        "An overlay has a description, arguments and metadata. For anything else give yours another name and let its provider call this one.",
      );
    else if (!Object.hasOwn(overlayTree, field.key)) reading.warnUnknownKey(field.source, Object.keys(overlayTree));
    else said[field.key] = readRemark(reading, field);
  }
  reading.problems.forEach(tell);
  const overlay = parseValue(ToolOverlay, said, [], report);
  return overlay && { name, ...overlay };
}

export type CheckedManifest = ToolManifest | SkillManifest | TaskManifest | JobManifest | NamedOverlay;

/** An entry that was given instead of read from a file, with everything that is wrong with it. */
export type CheckedEntry = {
  name: string | undefined;
  manifest: CheckedManifest | undefined;
  problems: ConfigProblem[];
  /** Providers that cannot be used as they are written, or not here. */
  unusable: ConfigProblem[];
  /** What was left out. */
  warnings: ConfigProblem[];
};

const file = "(given)";

export async function checkEntry(
  kind: EntryKind,
  given: UnknownObject,
  environment: Environment,
): Promise<CheckedEntry> {
  const found = { problems: [], unusable: [], warnings: [] } as Pick<
    CheckedEntry,
    "problems" | "unusable" | "warnings"
  >;
  const reportTo =
    (list: ConfigProblem[]): Report =>
    (path, message, hint = null) =>
      void list.push({ file, line: null, path: renderPath(path), severity: "error", message, hint });
  const report = reportTo(found.problems);
  const document = { file, data: given, lineOf: () => null };
  const place = { document, source: [], path: "", fallbackName: undefined };
  const read = toEntry({ ...given }, place);
  for (const [path, value] of fixedValues(given.arguments)) checkSecrets(value, path, report);
  if (kind === "overlay") {
    if (read.name === undefined) report(["name"], "an overlay needs the 'name' of the tool it is about");
    const overlay = checkOverlay(read.name ?? "", given, report, (problem) =>
      (problem.severity === "error" ? found.problems : found.warnings).push(problem),
    );
    return { name: read.name, manifest: overlay, ...found };
  }
  const entry: Entry = { ...read, kind };
  const { name } = entry;
  if (name === undefined) report(["name"], `a ${kind} needs a 'name'`);
  if (name === undefined || kind !== "tool") {
    for (const [path, value] of valuesGiven(given)) checkGiven(value, path, report);
    const work = name === undefined || kind === "tool" ? undefined : await checkWork[kind](entry, report);
    return { name, manifest: work as CheckedManifest | undefined, ...found };
  }
  const tool = checkTool(entry, report, (problem) => {
    if (problem.severity === "error") found.problems.push(problem);
    else if (!problem.message.endsWith("is assumed")) found.warnings.push(problem);
  });
  // As they are given: what else is wrong with the tool must not hide this.
  for (const [at, spec] of [entry.data.providers].flat().entries())
    if (isObject(spec)) checkSecrets(spec.config, ["providers", at, "config"], report);
  const context = { environment, directory: workingDirectory(), report: reportTo(found.unusable) };
  return { name, manifest: tool && checkProviders(tool, context), ...found };
}

const checkWork = { skill: checkSkill, task: checkTask, job: checkJob };

/** Under the name of the argument, which says whether its value is a secret. */
function fixedValues(list: unknown): [path: Path, value: UnknownObject][] {
  return (Array.isArray(list) ? list : []).flatMap((argument, at): [Path, UnknownObject][] =>
    isObject(argument) && argument.fixed !== undefined
      ? [[["arguments", at], { [String(argument.name)]: argument.fixed }]]
      : [],
  );
}

/** What a skill gives to its tools, and a job to its tasks. */
function valuesGiven({ input, steps, task_graph }: UnknownObject): [path: Path, value: unknown][] {
  const inEach = (key: string, list: unknown, field: string): [Path, unknown][] =>
    (Array.isArray(list) ? list : []).flatMap((one, at): [Path, unknown][] =>
      isObject(one) ? [[[key, at, field], one[field]]] : [],
    );
  return [[["input"], input], ...inEach("steps", steps, "arguments"), ...inEach("task_graph", task_graph, "input")];
}

/** Nothing is put in there but what a run is given, so a variable is no way out. */
function checkGiven(value: unknown, place: Path, report: Report): void {
  for (const path of clearSecrets(value))
    report(
      [...place, ...path],
      "holds a secret in clear",
      "Have it given as input, or let the tool's server or provider hold it.",
    );
}

/** What is stored and travels must neither hold a secret nor run or read anything where it arrives. */
function checkSecrets(config: unknown, place: Path, report: Report): void {
  for (const path of clearSecrets(config))
    report([...place, ...path], "holds a secret in clear", "Put it into a variable and refer to it as ${NAME}.");
  for (const path of localReferences(config))
    report(
      [...place, ...path],
      "refers to a file, a command or the keychain, which only manifest files may",
      "Refer to a variable as ${NAME}, or write the tool into a manifest file.",
    );
}

/** Where a provider's configuration holds a secret in clear instead of a reference to one. */
function clearSecrets(config: unknown): Path[] {
  const found: Path[] = [];
  mapTexts(config, (text, path) => {
    const isHeader = path.at(-2) === "headers" && looksSecret(String(path.at(-1)));
    if (maskText(text, isHeader) !== text && !isShortened(text)) found.push(path);
    return text;
  });
  return found;
}

/** Where it refers to more than variables: to files, commands or the keychain of one machine. */
function localReferences(config: unknown): Path[] {
  const found: Path[] = [];
  mapTexts(config, (text, path) => {
    if (findReferences(text).some(({ kind }) => kind !== "env")) found.push(path);
    return text;
  });
  return found;
}

/** A command is never shown whole, secret or not. */
function isShortened(text: string): boolean {
  return findReferences(text).some(({ kind }) => kind === "command");
}
