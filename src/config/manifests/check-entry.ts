import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { looksSecret } from "../../lib/text/redact.ts";
import type { EntryKind } from "../../model/catalogue/change.ts";
import { type NamedOverlay, ToolManifest, ToolOverlay } from "../../model/catalogue/tool.ts";
import { type ConfigProblem, renderProblems } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import {
  isObject,
  listOrEmpty,
  type Path,
  renderPath,
  type UnknownObject,
} from "../../model/json.ts";
import type { JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { SkillManifest } from "../../model/work/skill.ts";
import { type Environment, workingDirectory } from "../environment.ts";
import { checkProviders, parseValue, type Report } from "../parse-value.ts";
import { maskText } from "../secrets/mask.ts";
import { findReferences, mapTexts } from "../secrets/references.ts";
import { overlayKeys } from "../shapes/normal-form.ts";
import { createReading, listFields, originIn } from "../shapes/reading.ts";
import { readManifestEntry, readRemark } from "../shapes/tool-entry.ts";
import { checkJob, checkSkill, checkTask } from "./check-work.ts";
import { type ManifestEntry, toEntry } from "./entries.ts";

const toolOnlyKeys: readonly string[] = ["parameters", "providers", "persona", "owner", "auth"];
const checkWork = { skill: checkSkill, task: checkTask, job: checkJob };

type AddProblem = (problem: ConfigProblem) => void;

export type CheckedManifest =
  | ToolManifest
  | SkillManifest
  | TaskManifest
  | JobManifest
  | NamedOverlay;

export type CheckedEntry = {
  name: string | undefined;
  manifest: CheckedManifest | undefined;
  problems: ConfigProblem[];
  unusable: ConfigProblem[];
  warnings: ConfigProblem[];
};

export async function checkEntry(
  kind: EntryKind,
  given: UnknownObject,
  environment: Environment,
): Promise<CheckedEntry> {
  const findings: Pick<CheckedEntry, "problems" | "unusable" | "warnings"> = {
    problems: [],
    unusable: [],
    warnings: [],
  };
  const report = reportTo("(given)", findings.problems);
  const addProblem: AddProblem = (problem) =>
    (problem.severity === "error" ? findings.problems : findings.warnings).push(problem);
  const readEntry = entryOf("(given)", given);
  const { name } = readEntry;
  for (const [path, value] of fixedValues(given.arguments)) checkSecrets(value, path, report);
  if (kind === "overlay") {
    if (name === undefined) report(["name"], "an overlay needs the 'name' of the tool it is about");
    return { name, manifest: checkOverlay(name ?? "", given, report, addProblem), ...findings };
  }
  const entry: ManifestEntry = { ...readEntry, kind };
  if (name === undefined) report(["name"], `a ${kind} needs a 'name'`);
  if (name === undefined || kind !== "tool") {
    for (const [path, value] of runInputs(given)) checkRunInput(value, path, report);
    const work =
      name === undefined || kind === "tool" ? undefined : await checkWork[kind](entry, report);
    return { name, manifest: work as CheckedManifest | undefined, ...findings };
  }
  const tool = checkTool(entry, report, addProblem);
  // As they are given: what else is wrong with the tool must not hide this.
  for (const [index, spec] of [entry.data.providers].flat().entries())
    if (isObject(spec)) checkSecrets(spec.config, ["providers", index, "config"], report);
  const context = {
    environment,
    directory: workingDirectory(),
    report: reportTo("(given)", findings.unusable),
  };
  return { name, manifest: tool && checkProviders(tool, context), ...findings };
}

export function checkRegistered(
  definition: { readonly [key: string]: unknown },
  environment: Environment,
): ToolManifest {
  const problems: ConfigProblem[] = [];
  const report = reportTo("(registered)", problems);
  const entry = entryOf("(registered)", definition);
  const tool = checkTool(entry, report, (problem) => {
    if (problem.severity === "error") problems.push(problem);
  });
  const checked =
    tool && checkProviders(tool, { environment, directory: workingDirectory(), report });
  if (checked && problems.length === 0) return checked;
  throw new PlaneError(
    "CONFIG_INVALID",
    `The tool cannot be registered. ${renderProblems(problems)}`,
    {
      data: { problems, ...withoutUndefined({ tool: entry.name }) },
    },
  );
}

function entryOf(file: string, fields: UnknownObject): ManifestEntry {
  const document = { file, data: fields, lineOf: () => null };
  return toEntry({ ...fields }, { document, source: [], path: "", fallbackName: undefined });
}

function reportTo(file: string, list: ConfigProblem[]): Report {
  return (path, message, hint = null) =>
    list.push({ file, line: null, path: renderPath(path), severity: "error", message, hint });
}

/** A tool in its normal form, however it was written. `tell` gets what was left out, and the defaults if asked for. */
export function checkTool(
  { data, name, owner, document, source }: ManifestEntry,
  report: Report,
  addProblem: AddProblem,
  tellsAssumed = false,
): ToolManifest | undefined {
  const reading = createReading(originIn(document));
  readManifestEntry(reading, data, source, {
    tellsAssumed,
    ...withoutUndefined({ fallbackName: name }),
  });
  reading.problems.forEach(addProblem);
  if (reading.settings.length === 0) return undefined;
  const fields = Object.fromEntries(reading.settings.map(({ path, value }) => [path[2], value]));
  if (owner !== null) fields.persona = owner;
  return parseValue(ToolManifest, fields, [], report);
}

function checkOverlay(
  name: string,
  given: UnknownObject,
  report: Report,
  addProblem: AddProblem,
): NamedOverlay | undefined {
  const reading = createReading((source) => ({
    file: "(given)",
    line: null,
    path: source.join("."),
  }));
  const fields: UnknownObject = {};
  for (const field of listFields(given, [])) {
    if (field.key === "name" || field.key === "kind" || (field.value ?? null) === null) continue;
    if (toolOnlyKeys.includes(field.key))
      report(
        [field.key],
        `cannot be set for a tool of a server`,
        "An overlay has a description, arguments and metadata. For anything else give yours another name and let its provider call this one.",
      );
    else if (!overlayKeys.includes(field.key)) reading.warnUnknownKey(field.source, overlayKeys);
    else fields[field.key] = readRemark(reading, field);
  }
  reading.problems.forEach(addProblem);
  const overlay = parseValue(ToolOverlay, fields, [], report);
  return overlay && { name, ...overlay };
}

/** Under the name of the argument, which says whether its value is a secret. */
function fixedValues(list: unknown): [path: Path, value: UnknownObject][] {
  return listOrEmpty(list).flatMap((argument, index): [Path, UnknownObject][] => {
    if (!isObject(argument) || argument.fixed === undefined) return [];
    return [[["arguments", index], { [String(argument.name)]: argument.fixed }]];
  });
}

/** What a job, a task or a skill hands to its run and to the steps of it. */
function runInputs({ input, steps, task_graph }: UnknownObject): [path: Path, value: unknown][] {
  const fieldOfEach = (key: string, list: unknown, field: string): [Path, unknown][] =>
    listOrEmpty(list).flatMap((node, index): [Path, unknown][] =>
      isObject(node) ? [[[key, index, field], node[field]]] : [],
    );
  return [
    [["input"], input],
    ...fieldOfEach("steps", steps, "arguments"),
    ...fieldOfEach("task_graph", task_graph, "input"),
  ];
}

/** A run expands no variables in its inputs, so the remedy is another than for a provider. */
function checkRunInput(value: unknown, location: Path, report: Report): void {
  for (const path of clearSecrets(value))
    report(
      [...location, ...path],
      "holds a secret in clear",
      "Have it given as input, or let the tool's server or provider hold it.",
    );
}

/** What is stored and travels must neither hold a secret nor run or read anything where it arrives. */
function checkSecrets(config: unknown, location: Path, report: Report): void {
  for (const path of clearSecrets(config))
    report(
      [...location, ...path],
      "holds a secret in clear",
      "Put it into a variable and refer to it as ${NAME}.",
    );
  for (const path of pathsOf(config, (text) =>
    findReferences(text).some(({ kind }) => kind !== "env"),
  ))
    report(
      [...location, ...path],
      "refers to a file, a command or the keychain, which only manifest files may",
      "Refer to a variable as ${NAME}, or write the tool into a manifest file.",
    );
}

/** Where a secret stands in clear instead of a reference. A command is always masked, so it does not count. */
function clearSecrets(config: unknown): Path[] {
  return pathsOf(config, (text, path) => {
    const isHeader = path.at(-2) === "headers" && looksSecret(String(path.at(-1)));
    return (
      maskText(text, isHeader) !== text &&
      !findReferences(text).some(({ kind }) => kind === "command")
    );
  });
}

function pathsOf(value: unknown, isReported: (text: string, path: Path) => boolean): Path[] {
  const paths: Path[] = [];
  mapTexts(value, (text, path) => {
    if (isReported(text, path)) paths.push(path);
    return text;
  });
  return paths;
}
