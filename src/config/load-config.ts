import { type Dirent, readdirSync, statSync } from "node:fs";
import { dirname, extname, join, parse, resolve, sep } from "node:path";
import { deepFreeze } from "../lib/json/plain-data.ts";
import { matchesGlob } from "../lib/text/glob.ts";
import { normalLevel, shippedLevels } from "../model/access/compliance.ts";
import { everyTool, type HookSettings, hookEvents } from "../model/access/hook.ts";
import type { Policy, PolicyRule } from "../model/access/policy.ts";
import {
  type Config,
  type ConfigProblem,
  type ConfigValues,
  type Manifests,
  renderProblems,
} from "../model/config/config.ts";
import type { ConfigInput } from "../model/config/config-input.ts";
import type { ProjectTrust } from "../model/config/setup.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type Path, renderPath, type UnknownObject } from "../model/json.ts";
import { checkServer, checkValues, sharingInManifests } from "./check-values.ts";
import { withoutOwnEntry } from "./clients/own-entry.ts";
import type { Environment } from "./environment.ts";
import { type Merged, mergeSettings } from "./merge-settings.ts";
import type { Report } from "./parse-value.ts";
import { usedVariables } from "./secrets/references.ts";
import { settingsFromEnvironment } from "./shapes/environment-settings.ts";
import { readShapes } from "./shapes/read-shapes.ts";
import type { ConfigDocument, Setting } from "./shapes/reading.ts";
import { readDocument } from "./text/read-document.ts";
import type { Judged, judgeProject, Project } from "./trust/judge-project.ts";

const extensions = [".json", ".jsonc", ".yaml", ".yml"];
/** More than anyone writes by hand; a glob that meets more was meant for something smaller. */
const maxSeen = 20_000;

type Walk = { found: Set<string>; seen: number };

export function findFiles(glob: string, directory: string): { files: string[]; isCut: boolean } {
  const absolute = resolve(directory, glob);
  const { root } = parse(absolute);
  const walk: Walk = { found: new Set(), seen: 0 };
  const segments = absolute.slice(root.length).split(sep);
  enter(walk, root, segments.at(-1) === "**" ? [...segments, "*"] : segments);
  return { files: [...walk.found].sort(), isCut: walk.seen > maxSeen };
}

function enter(walk: Walk, directory: string, [segment = "", ...rest]: readonly string[]): void {
  if (segment === "**") {
    enter(walk, directory, rest);
    for (const name of directoriesIn(walk, directory)) enter(walk, join(directory, name), [segment, ...rest]);
  } else if (!/[*?]/.test(segment)) {
    const path = join(directory, segment);
    if (rest.length > 0) enter(walk, path, rest);
    else take(walk, path);
  } else if (rest.length > 0) {
    for (const name of directoriesIn(walk, directory))
      if (matchesGlob(segment, name)) enter(walk, join(directory, name), rest);
  } else {
    for (const { name } of entriesOf(walk, directory))
      if (!name.startsWith(".") && matchesGlob(segment, name)) take(walk, join(directory, name));
  }
}

function take({ found }: Walk, path: string): void {
  if (!extensions.includes(extname(path).toLowerCase())) return;
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) found.add(path);
}

/** Links to directories are not followed: they may lead in a circle. */
function directoriesIn(walk: Walk, directory: string): string[] {
  return entriesOf(walk, directory)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map(({ name }) => name);
}

function entriesOf(walk: Walk, directory: string): Dirent[] {
  if (walk.seen > maxSeen) return [];
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    walk.seen += entries.length;
    return entries;
  } catch {
    return [];
  }
}

type Loaded = {
  manifests: Manifests;
  problems: ConfigProblem[];
  files(): string[];
};

async function loadManifests(
  { manifests: globs, tools }: ConfigValues,
  merged: Merged,
  configFiles: readonly string[],
  environment: Environment,
): Promise<Loaded> {
  const manifests: Manifests = { tools: [], skills: [], tasks: [], jobs: [] };
  if (globs.length === 0) return { manifests, problems: [], files: () => [] };
  const directory = resolve(dirname(merged.originOf(["manifests"])?.file ?? ""));
  const find = () => globs.map((glob) => findFiles(glob, directory));
  // A wide glob finds the configuration too.
  const files = () =>
    [...new Set(find().flatMap((found) => found.files))].filter((file) => !configFiles.includes(file));
  const problems = find().flatMap(({ files: found, isCut }, at) => {
    if (isCut) return [globProblem(merged, globs, at, "looks at too many files and was cut short")];
    return found.length > 0 ? [] : [globProblem(merged, globs, at, "matches no file")];
  });
  const { readManifests } = await import("./manifests/read-manifests.ts");
  const read = await readManifests(files(), directory, environment);
  const isTaken = ({ name, persona }: Manifests["tools"][number]) =>
    tools[name] !== undefined && tools[name].persona === persona;
  for (const { name, persona, file } of read.manifests.tools.filter(isTaken)) {
    const message = `tool '${name}' is also in the section 'tools' of the configuration, which counts`;
    const place = { file, line: null, path: "", owner: persona ?? null };
    problems.push({ ...place, severity: "warning", message, hint: "Remove one of them." });
  }
  return {
    // The registry lists these very objects.
    manifests: deepFreeze({ ...read.manifests, tools: read.manifests.tools.filter((tool) => !isTaken(tool)) }),
    problems: [...problems, ...read.problems],
    files,
  };
}

function globProblem(merged: Merged, globs: readonly string[], at: number, what: string): ConfigProblem {
  const hint = "It starts where this file is; ** stands for directories.";
  return { ...merged.placeOf(["manifests", at]), severity: "warning", message: `'${globs[at]}' ${what}`, hint };
}

/** What is no file is judged by what is in it, whatever the compiler let through. */
export type ConfigSource = string | readonly string[] | ConfigInput | UnknownObject;

export type LoadedConfig = {
  config: Config;
  /** What the project's files bring; null without a project. */
  trust: ProjectTrust | null;
  /** What they say and no person has trusted yet. */
  waiting: readonly Setting[];
  merged: Merged;
  /** The variables it refers to, with what they hold: not to be shown. */
  variables: ReadonlyMap<string, string>;
  directoryOf(server: string): string;
  /** Everything it is read from, as it is now: a new manifest is among it. */
  sources(): string[];
};

/** What a file would say. */
export type FileText = { file: string; text: string };

/** Reads everything and reports everything; throws only when nothing could be read at all. */
export async function loadConfig(
  source: ConfigSource,
  environment: Environment,
  project?: Project,
  instead?: FileText,
): Promise<LoadedConfig> {
  const layers: Setting[][] = [];
  const projectLayers: Setting[][] = [];
  const files: string[] = [];
  const found: ConfigProblem[] = [];
  for (const { document, problems } of await readSource(source, instead)) {
    found.push(...problems);
    if (document === null) continue;
    const shapes = readShapes(withoutOwnEntry(document));
    found.push(...shapes.problems);
    (project?.files.includes(document.file) ? projectLayers : layers).push(shapes.settings);
    files.push(document.file);
  }
  const fromEnvironment = settingsFromEnvironment(environment);
  if (files.length === 0 && (found.length > 0 || fromEnvironment.settings.length === 0))
    throw new PlaneError("CONFIG_INVALID", renderProblems(found), { data: { problems: found } });
  found.push(...fromEnvironment.problems);
  const judged = project && projectLayers.length > 0 ? await judge(layers, projectLayers, project, environment) : null;
  const merged = mergeSettings(judged?.layers ?? layers, fromEnvironment.settings);
  const { problems, ...checked } = checkValues(merged, environment);
  const values = { ...checked, ...withoutUntrusted(checked, judged?.waiting ?? [], judged?.trust ?? null) };
  const fromFiles = await loadManifests(values, merged, files, environment);
  const config = {
    ...values,
    files,
    fromManifests: fromFiles.manifests,
    problems: [
      ...found,
      ...problems,
      ...(judged?.problems ?? []),
      ...(await checkPolicy(values.policy, merged)),
      ...(await checkRedaction(values.results.redact.patterns, merged)),
      ...checkAccess(values, merged),
      ...(await checkHooks(values.hooks, merged)),
      ...fromFiles.problems,
      ...sharingInManifests(values.servers, fromFiles.manifests),
    ],
  };
  const said = [merged.values, fromFiles.manifests.tools.map(({ providers }) => providers)];
  const directoryOf = (server: string) => dirname(merged.originOf(["servers", server])?.file ?? "");
  const sources = () => [...files, ...fromFiles.files()];
  const { trust = null, waiting = [] } = judged ?? {};
  return { config, trust, waiting, merged, variables: usedVariables(said, environment), directoryOf, sources };
}

/** Loaded where there is a project: most planes are configured by name. */
async function judge(...given: Parameters<typeof judgeProject>): Promise<Judged> {
  return (await import("./trust/judge-project.ts")).judgeProject(...given);
}

/** A server that waits for trust is neither configured nor broken, unless environment variables define one of its name. */
function withoutUntrusted(
  { servers, broken }: Pick<Config, "servers" | "broken">,
  waiting: readonly Setting[],
  trust: ProjectTrust | null,
): Pick<Config, "broken" | "untrusted"> {
  const names = new Set(waiting.flatMap(({ path: [section, name] }) => (section === "servers" ? String(name) : [])));
  const lines = (trust?.servers ?? []).filter(({ name }) => names.has(name) && servers[name] === undefined);
  const untrusted = Object.fromEntries(lines.map(({ name, launch, hash }) => [name, { launch, hash }]));
  return { untrusted, broken: Object.fromEntries(Object.entries(broken).filter(([name]) => !names.has(name))) };
}

/** What guards something. A section of it that is not understood would fall back to its defaults. */
export const safeSections =
  /^(policy|hooks|auth|users|personas|compliance|budgets|inject|overlays|store|vaultKey|approvals|security|audit|sampling|quotas|results\.redact|lazy\.callable)\b/;

/** A rule, a hook, a budget or what is said about arguments that is not understood must not be left out, so a plane does not start with one. */
export function requireSafe({ problems }: Config): void {
  const unsafe = problems.filter(
    // A manifest has keys of these names too, and a tool that is left out is safe.
    ({ path, key = path, severity, owner }) => severity === "error" && owner === undefined && safeSections.test(key),
  );
  if (unsafe.length > 0) throw new PlaneError("CONFIG_INVALID", renderProblems(unsafe), { data: { problems: unsafe } });
}

/** What is wrong with a server as a file would hold it. A variable that is not set yet may be set later. */
export function checkServerEntry(name: string, entry: UnknownObject, environment: Environment): string[] {
  return readServerEntry(name, entry, environment).problems;
}

/** A server as a file would hold it, in the normal form. */
export function readServerEntry(name: string, entry: UnknownObject, environment: Environment) {
  const data = { mcpServers: { [name]: entry } };
  const { settings, problems: misread } = readShapes({ file: "", data, lineOf: () => null });
  const found = misread
    .filter(({ severity }) => severity === "error")
    .map(({ path, message, hint }) => ({ path: path.slice(`mcpServers.${name}.`.length), message, hint }));
  const { servers } = mergeSettings([settings]).values;
  const report: Report = (path, message, hint = null) => found.push({ path: renderPath(path.slice(2)), message, hint });
  const given = isObject(servers) ? servers[name] : undefined;
  const definition = checkServer(name, given, environment, report, () => undefined);
  const problems = found.map(({ path, message, hint }) =>
    [path === "" ? message : `'${path}' ${message}`, hint].filter((part) => part !== null).join(". "),
  );
  return { definition, problems };
}

type Read = { document: ConfigDocument | null; problems: ConfigProblem[] };

async function readSource(source: ConfigSource, instead: FileText | undefined): Promise<Read[]> {
  if (typeof source !== "string" && !Array.isArray(source))
    return [{ document: { file: "(given)", data: source, lineOf: () => null }, problems: [] }];
  const files: readonly string[] = [source].flat();
  const textOf = (file: string) => (instead && resolve(instead.file) === file ? instead.text : undefined);
  return Promise.all(files.map((file) => readDocument(resolve(file), textOf(resolve(file)))));
}

type Finding = { path: Path; message: string; hint: string };

async function checkHooks(hooks: HookSettings, merged: Merged): Promise<ConfigProblem[]> {
  const patterns = hookEvents.flatMap((event) =>
    hooks[event].map(({ matcher }, at) => ({ path: ["hooks", event, at, "matcher"], pattern: matcher })),
  );
  const hint = `'${everyTool}' stands for every tool. Look-around and back references are not supported.`;
  const given = patterns.filter(({ pattern }) => pattern !== everyTool);
  return asProblems(await checkPatterns(given, hint), merged);
}

async function checkPolicy({ rules }: Policy, merged: Merged): Promise<ConfigProblem[]> {
  const patterns = rules.flatMap(({ arguments: given = {} }, at) =>
    Object.entries(given).flatMap(([name, pattern]) => {
      if (typeof pattern === "string") return [];
      return [{ path: ["policy", "rules", at, "arguments", name, "regex"], pattern: pattern.regex }];
    }),
  );
  const hint = "Look-around and back references are not supported: they can take for ever.";
  const zones = rules.flatMap(({ time }, at): Finding[] => {
    if (time === undefined || isTimezone(time.timezone)) return [];
    const path = ["policy", "rules", at, "time", "timezone"];
    return [{ path, message: `'${time.timezone}' is no time zone`, hint: "Write it like Europe/Berlin." }];
  });
  return [
    ...asProblems([...(await checkPatterns(patterns, hint)), ...zones], merged),
    ...asProblems(rules.flatMap(literalGlobs), merged, "warning"),
  ];
}

/** A rule whose braces or brackets are meant as alternatives matches nothing. */
function literalGlobs({ tool, server }: PolicyRule, at: number): Finding[] {
  return Object.entries({ tool, server }).flatMap(([key, glob = ""]) =>
    /[{}[\]]/.test(glob)
      ? {
          path: ["policy", "rules", at, key],
          message: `braces and brackets in '${glob}' are matched literally`,
          hint: "Globs support only * and ?. Write one rule per alternative.",
        }
      : [],
  );
}

async function checkRedaction(patterns: readonly string[], merged: Merged): Promise<ConfigProblem[]> {
  const given = patterns.map((pattern, at) => ({ path: ["results", "redact", "patterns", at], pattern }));
  return asProblems(await checkPatterns(given, "Look-around and back references are not supported."), merged);
}

async function checkPatterns(given: readonly { path: Path; pattern: string }[], hint: string): Promise<Finding[]> {
  if (given.length === 0) return [];
  const { patternProblem } = await import("../lib/text/linear-pattern.ts");
  return given.flatMap(({ path, pattern }) => {
    const problem = patternProblem(pattern);
    return problem === null ? [] : [{ path, message: `'${pattern}' is no pattern: ${problem}`, hint }];
  });
}

function asProblems(
  findings: readonly Finding[],
  merged: Merged,
  severity: ConfigProblem["severity"] = "error",
): ConfigProblem[] {
  return findings.map(({ path, ...finding }) => ({ ...merged.placeOf(path), severity, ...finding }));
}

function isTimezone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}

type Level = string | null | undefined;

function checkAccess(
  { servers, tools, users, compliance }: Pick<ConfigValues, "servers" | "tools" | "users" | "compliance">,
  merged: Merged,
): ConfigProblem[] {
  const { levels, unknown } = compliance === "default" || compliance === null ? shippedLevels : compliance;
  const known = new Set(levels.flatMap(({ name, aliases }) => [name, ...aliases]).map(normalLevel));
  const levelsIn = <K extends string>(section: string, key: K, entries: Record<string, { [key in K]?: Level }>) =>
    Object.entries(entries).map(([name, entry]) => ({ path: [section, name, key], level: entry[key] }));
  const said = [
    ...levelsIn("servers", "compliance_level", servers),
    ...levelsIn("tools", "compliance_level", tools),
    ...levelsIn("users", "compliance", users),
  ];
  return said.flatMap(({ path, level }): ConfigProblem[] => {
    if (!level || (compliance !== null && known.has(normalLevel(level)))) return [];
    const effect = unknown === "strict" ? "is refused wherever a level is asked for" : "restricts no caller";
    return [
      {
        ...merged.placeOf(path),
        severity: "warning",
        message: compliance === null ? "levels have no effect" : `the level '${level}' ${effect}`,
        hint:
          compliance === null
            ? 'Say which levels go together: "compliance": "default".'
            : `Known are ${levels.map(({ name }) => name).join(", ") || "none"}.`,
      },
    ];
  });
}
