import { dirname, resolve } from "node:path";
import { deepFreeze, withoutUndefined } from "../lib/json/plain-data.ts";
import { anyToolMatcher, type HookSettings, hookEvents } from "../model/access/hook.ts";
import type { Policy, PolicyRule } from "../model/access/policy.ts";
import {
  type Config,
  type ConfigProblem,
  type ConfigValues,
  type Manifests,
  renderProblems,
} from "../model/config/config.ts";
import { noTrust, type ProjectTrust } from "../model/config/setup.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type Path, renderPath, type UnknownObject } from "../model/json.ts";
import type { ServerDefinition } from "../model/servers/server.ts";
import { withTwoLives } from "./approval-lives.ts";
import { checkAccess, checkAuth } from "./check-access.ts";
import { checkServer, checkValues, sharingInManifests } from "./check-values.ts";
import type { Environment } from "./environment.ts";
import type { LoadedExtension } from "./extensions/load-extensions.ts";
import { loadUsed, unusable } from "./extensions/used-extensions.ts";
import { findFiles } from "./manifests/find-files.ts";
import { type Merged, mergeSettings } from "./merge-settings.ts";
import { withoutOwnEntry } from "./own-entry.ts";
import type { Report } from "./parse-value.ts";
import { type ConfigSource, type FileText, readSource } from "./read-source.ts";
import { usedVariables } from "./secrets/references.ts";
import { settingsForAllServers, settingsFromEnvironment } from "./shapes/environment-settings.ts";
import { readShapes } from "./shapes/read-shapes.ts";
import type { Setting } from "./shapes/reading.ts";
import { createPlaces, isOwnSource } from "./start-place.ts";
import type { JudgedSettings, Project } from "./trust/judge-project.ts";
import { type JudgedOwn, judgeOwnServers } from "./trust/own-servers.ts";
import type { PulledFile } from "./trust/pulled-files.ts";

/** Trusted files of a project with their content. */
type Texts = ReadonlyMap<string, string>;

type LoadedManifests = {
  manifests: Manifests;
  problems: ConfigProblem[];
  files(): string[];
};

async function loadManifests(
  { manifests: globs, tools }: ConfigValues,
  merged: Merged,
  configFiles: readonly string[],
  environment: Environment,
  judgedTexts: Texts | null,
): Promise<LoadedManifests> {
  const manifests: Manifests = { tools: [], skills: [], tasks: [], jobs: [] };
  if (globs.length === 0) return { manifests, problems: [], files: () => [] };
  const directory = resolve(dirname(merged.originOf(["manifests"])?.file ?? ""));
  const find = () => globs.map((glob) => findFiles(glob, directory));
  // A wide glob finds the configuration too.
  const manifestsAmong = (matches: ReturnType<typeof find>) =>
    [...new Set(matches.flatMap(({ files }) => files))].filter(
      (file) => !configFiles.includes(file),
    );
  const matches = find();
  const problems = matches.flatMap(({ files: matchingFiles, isCut }, index) => {
    if (isCut)
      return [globProblem(merged, globs, index, "looks at too many files and was cut short")];
    return matchingFiles.length > 0 ? [] : [globProblem(merged, globs, index, "matches no file")];
  });
  const { readManifests } = await import("./manifests/read-manifests.ts");
  // Only what was judged is read, and as it was then.
  const usedFiles = manifestsAmong(matches).filter((file) => judgedTexts?.has(file) ?? true);
  const loaded = await readManifests(usedFiles, directory, environment, (file) =>
    judgedTexts?.get(file),
  );
  const isCovered = ({ name, persona }: Manifests["tools"][number]) =>
    tools[name] !== undefined && tools[name].persona === persona;
  for (const { name, persona, file } of loaded.manifests.tools.filter(isCovered)) {
    const message = `tool '${name}' is also in the section 'tools' of the configuration, which counts`;
    const origin = { file, line: null, path: "", owner: persona ?? null };
    problems.push({ ...origin, severity: "warning", message, hint: "Remove one of them." });
  }
  return {
    // The registry lists these very objects.
    manifests: deepFreeze({
      ...loaded.manifests,
      tools: loaded.manifests.tools.filter((tool) => !isCovered(tool)),
    }),
    problems: [...problems, ...loaded.problems],
    files: () => manifestsAmong(find()),
  };
}

function globProblem(
  merged: Merged,
  globs: readonly string[],
  index: number,
  trouble: string,
): ConfigProblem {
  const hint = "It starts where this file is; ** stands for directories.";
  return {
    ...merged.placeOf(["manifests", index]),
    severity: "warning",
    message: `'${globs[index]}' ${trouble}`,
    hint,
  };
}

export type LoadedConfig = {
  config: Config;
  /** What the project's files bring, and who works in its directory; null without either. */
  trust: ProjectTrust | null;
  /** Files that are a part of the project's configuration. */
  pulled: readonly PulledFile[];
  /** What they say and no person has trusted yet. */
  waiting: readonly Setting[];
  merged: Merged;
  /** Files of clients, which are never written. */
  ofClients: readonly string[];
  extensions: readonly LoadedExtension[];
  /** The variables it refers to, with what they hold: not to be shown. */
  variables: ReadonlyMap<string, string>;
  /** The directory of the file that names it. */
  directoryOf(server: string): string;
  /** As it is started: where, and with which paths. */
  placed(server: string, definition: ServerDefinition, directory?: string | null): ServerDefinition;
  /** All servers as they are for a caller who works in this directory. */
  serversIn(directory: string): Pick<Config, "servers" | "broken">;
  /** Everything it is read from, as it is now: a new manifest is among it. */
  sources(): string[];
};

const nothingGiven =
  "Nothing is configured: no file is named, and no server or extension is given. Name a file in 'config', or give 'servers' or 'extensions'.";

/** Reads everything and reports everything; throws only when nothing could be read at all. */
export async function loadConfig(
  source: ConfigSource,
  environment: Environment,
  projectPlace?: Project,
  unsavedText?: FileText,
): Promise<LoadedConfig> {
  const layers: Setting[][] = [];
  const projectLayers: Setting[][] = [];
  const files: string[] = [];
  const foundProblems: ConfigProblem[] = [];
  const { read: documents, found: ofClients } = await readSource(source, unsavedText);
  for (const { document, problems } of documents) {
    foundProblems.push(...problems);
    if (document === null) continue;
    const shapes = readShapes(withoutOwnEntry(document));
    foundProblems.push(...shapes.problems);
    const isProjectFile = projectPlace?.files.includes(document.file);
    (isProjectFile ? projectLayers : layers).push(shapes.settings);
    files.push(document.file);
  }
  const clientFiles = ofClients?.documents.map(({ file }) => file) ?? [];
  const project = projectPlace && { ...projectPlace, ofClients: clientFiles };
  const fromEnvironment = settingsFromEnvironment(environment);
  if (files.length === 0 && (foundProblems.length > 0 || fromEnvironment.settings.length === 0))
    throw new PlaneError("CONFIG_INVALID", renderProblems(foundProblems) || nothingGiven, {
      data: { problems: foundProblems },
    });
  foundProblems.push(...fromEnvironment.problems);
  const judged = await judge(layers, projectLayers, project, environment);
  const layersInForce = judged?.layers ?? layers;
  const withoutServerOverrides = mergeSettings(layersInForce, fromEnvironment.settings);
  const forAll = settingsForAllServers(environment, withoutServerOverrides.values.servers);
  foundProblems.push(...forAll.problems);
  const overrides = [...fromEnvironment.settings, ...forAll.settings];
  const merged =
    forAll.settings.length === 0 ? withoutServerOverrides : mergeSettings(layersInForce, overrides);
  const places = createPlaces(merged, environment, project);
  // They add to what the rest may say.
  const extensions = await loadUsed(merged);
  const { problems, ...checked } = checkValues(merged, environment, places.folderOf);
  const ownServers = judgeOwn(checked.servers, { merged, environment, project });
  const approvals = withTwoLives(checked.approvals, merged);
  const values = {
    ...checked,
    approvals: approvals.settings,
    ...withoutUntrusted(checked, judged?.waiting ?? [], judged?.trust ?? null, ownServers),
    inWorkspace: ownServers?.inWorkspace ?? [],
  };
  const trust = judged?.trust ?? (ownServers && project ? noTrust(project.directory ?? "") : null);
  const isOfProject = project?.files.includes(merged.originOf(["manifests"])?.file ?? "") ?? false;
  const texts = isOfProject ? trustedTexts(judged?.pulled ?? []) : null;
  const fromFiles = await loadManifests(values, merged, files, environment, texts);
  const config = {
    ...values,
    files,
    ...withoutUndefined({ foundIn: ofClients?.foundIn }),
    fromManifests: fromFiles.manifests,
    problems: [
      ...foundProblems,
      ...problems,
      ...(judged?.problems ?? []),
      ...(ownServers?.problems ?? []),
      ...(await checkPolicy(values.policy, merged)),
      ...(await checkRedaction(values.results.redact.patterns, merged)),
      ...checkAccess(values, merged),
      ...checkAuth(values.auth, merged),
      ...approvals.problems,
      ...(await checkHooks(values.hooks, merged)),
      ...extensions.flatMap((extension, index) =>
        extension.extension === null ? unusable(extension, index, merged) : [],
      ),
      ...fromFiles.problems,
      ...sharingInManifests(values.servers, fromFiles.manifests),
    ],
  };
  const writtenValues = [
    merged.values,
    fromFiles.manifests.tools.map(({ providers }) => providers),
  ];
  const { pulled = [], waiting = [] } = judged ?? {};
  return {
    config,
    trust: trust && { ...trust, own: ownServers?.lines ?? [] },
    pulled,
    waiting,
    merged,
    ofClients: clientFiles,
    extensions,
    variables: usedVariables(writtenValues, environment),
    directoryOf: places.directoryOf,
    placed: (server, definition, directory = project?.directory ?? null) =>
      places.placed(
        server,
        definition,
        values.inWorkspace.includes(server) ? directory : undefined,
      ),
    serversIn: (directory) => checkValues(merged, environment, () => directory),
    sources: () => [
      ...new Set([...files, ...fromFiles.files(), ...pulled.map(({ file }) => file)]),
    ],
  };
}

/** Loaded where there is a project: most planes are configured by name. */
async function judge(
  ownLayers: readonly Setting[][],
  projectLayers: readonly Setting[][],
  project: Project | undefined,
  environment: Environment,
): Promise<JudgedSettings | null> {
  if (project === undefined || project.directory === null || projectLayers.length === 0)
    return null;
  const { judgeProject } = await import("./trust/judge-project.ts");
  return judgeProject(
    ownLayers,
    projectLayers,
    { ...project, directory: project.directory },
    environment,
  );
}

function judgeOwn(servers: Config["servers"], context: Parameters<typeof judgeOwnServers>[1]) {
  const { merged, environment, project } = context;
  const isOwn = ([name, { transport }]: [string, ServerDefinition]) =>
    transport === "stdio" &&
    isOwnSource(merged.originOf(["servers", name])?.file ?? "", environment, project);
  if (!Object.entries(servers).some(isOwn)) return null;
  return judgeOwnServers(servers, context);
}

function trustedTexts(pulled: readonly PulledFile[]): Texts {
  const trusted = pulled.filter(({ kind, line }) => kind === "manifest" && line.inForce);
  return new Map(trusted.map(({ file, text }) => [file, text ?? ""]));
}

/** A server that waits for trust is neither configured nor broken, unless environment variables define one of its name. */
function withoutUntrusted(
  { servers, broken }: Pick<Config, "servers" | "broken">,
  waiting: readonly Setting[],
  trust: ProjectTrust | null,
  ownServers: JudgedOwn | null,
): Pick<Config, "servers" | "broken" | "untrusted"> {
  const names = new Set(
    waiting.flatMap(({ path: [section, name] }) => (section === "servers" ? String(name) : [])),
  );
  const lines = (trust?.servers ?? []).filter(
    ({ name }) => names.has(name) && servers[name] === undefined,
  );
  const untrusted = Object.fromEntries(
    lines.map(({ name, launch, hash }) => [name, { launch, hash }]),
  );
  // One that is not trusted in this directory may be in that of a client.
  const isBrokenHere = (name: string) =>
    ownServers !== null && Object.hasOwn(ownServers.broken, name);
  const keepOnly = <T>(entries: Record<string, T>, isKept: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => isKept(name)));
  return {
    servers: ownServers === null ? servers : keepOnly(servers, (name) => !isBrokenHere(name)),
    untrusted: { ...untrusted, ...ownServers?.untrusted },
    broken: { ...keepOnly(broken, (name) => !names.has(name)), ...ownServers?.broken },
  };
}

/** What guards something. A section of it that is not understood would fall back to its defaults. */
export const safeSections =
  /^(policy|hooks|auth|users|personas|compliance|budgets|inject|overlays|store|durability|vaultKey|approvals|security|audit|sampling|quotas|results\.(?:redact|store)|lazy\.callable)\b/;

/** A rule, a hook, a budget or what is said about arguments that is not understood must not be left out, so a plane does not start with one. */
export function requireSafe({ problems }: Config): void {
  const unsafe = problems.filter(
    // A manifest has keys of these names too, and a tool that is left out is safe.
    ({ path, key = path, severity, owner }) =>
      severity === "error" && owner === undefined && safeSections.test(key),
  );
  if (unsafe.length > 0)
    throw new PlaneError("CONFIG_INVALID", renderProblems(unsafe), { data: { problems: unsafe } });
}

/** What is wrong with a server as a file would hold it. A variable that is not set yet may be set later. */
export function checkServerEntry(
  name: string,
  entry: UnknownObject,
  environment: Environment,
): string[] {
  return readServerEntry(name, entry, environment).problems;
}

/** What is wrong with a model as a file would hold it. */
export function checkModelEntry(
  name: string,
  entry: UnknownObject,
  environment: Environment,
): string[] {
  const { settings, problems } = readShapes({
    file: "",
    data: { models: { [name]: entry } },
    lineOf: () => null,
  });
  const checked = checkValues(mergeSettings([settings]), environment, () => "");
  return [...problems, ...checked.problems].map(({ path, message, hint }) =>
    [`${path}: ${message}`, hint].filter((part) => part).join(". "),
  );
}

/** A server as a file would hold it, in the normal form. */
export function readServerEntry(name: string, entry: UnknownObject, environment: Environment) {
  const data = { mcpServers: { [name]: entry } };
  const { settings, problems: misreadings } = readShapes({ file: "", data, lineOf: () => null });
  const findings = misreadings
    .filter(({ severity }) => severity === "error")
    .map(({ path, message, hint }) => ({
      path: path.slice(`mcpServers.${name}.`.length),
      message,
      hint,
    }));
  const { servers } = mergeSettings([settings]).values;
  const report: Report = (path, message, hint = null) =>
    findings.push({ path: renderPath(path.slice(2)), message, hint });
  const settingsOfServer = isObject(servers) ? servers[name] : undefined;
  const definition = checkServer(name, settingsOfServer, environment, report, () => undefined);
  const problems = findings.map(({ path, message, hint }) =>
    [path === "" ? message : `'${path}' ${message}`, hint]
      .filter((part) => part !== null)
      .join(". "),
  );
  return { definition, problems };
}

type Finding = { path: Path; message: string; hint: string };

async function checkHooks(hooks: HookSettings, merged: Merged): Promise<ConfigProblem[]> {
  const patterns = hookEvents.flatMap((event) =>
    hooks[event].map(({ matcher }, index) => ({
      path: ["hooks", event, index, "matcher"],
      pattern: matcher,
    })),
  );
  const hint = `'${anyToolMatcher}' stands for every tool. Look-around and back references are not supported.`;
  const checkedPatterns = patterns.filter(({ pattern }) => pattern !== anyToolMatcher);
  return asProblems(await checkPatterns(checkedPatterns, hint), merged);
}

async function checkPolicy({ rules }: Policy, merged: Merged): Promise<ConfigProblem[]> {
  const patterns = rules.flatMap(({ arguments: conditions = {} }, index) =>
    Object.entries(conditions).flatMap(([name, pattern]) => {
      if (typeof pattern === "string") return [];
      return [
        { path: ["policy", "rules", index, "arguments", name, "regex"], pattern: pattern.regex },
      ];
    }),
  );
  const hint = "Look-around and back references are not supported: they can take for ever.";
  const zones = rules.flatMap(({ time }, index): Finding[] => {
    if (time === undefined || isTimezone(time.timezone)) return [];
    const path = ["policy", "rules", index, "time", "timezone"];
    return [
      {
        path,
        message: `'${time.timezone}' is not a valid time zone`,
        hint: "Write it like Europe/Berlin.",
      },
    ];
  });
  return [
    ...asProblems([...(await checkPatterns(patterns, hint)), ...zones], merged),
    ...asProblems(
      [...rules.flatMap(literalGlobs), ...rules.flatMap(slashedPatterns)],
      merged,
      "warning",
    ),
  ];
}

/** A rule whose braces or brackets are meant as alternatives matches nothing. */
function literalGlobs({ tool, server }: PolicyRule, index: number): Finding[] {
  return Object.entries({ tool, server }).flatMap(([key, glob = ""]) =>
    /[{}[\]]/.test(glob)
      ? {
          path: ["policy", "rules", index, key],
          message: `braces and brackets in '${glob}' are matched literally`,
          hint: "Globs support only * and ?. Write one rule per alternative.",
        }
      : [],
  );
}

/** A glob between slashes with the signs of a regular expression: its rule would guard nothing, without a word. */
function slashedPatterns({ arguments: conditions = {} }: PolicyRule, index: number): Finding[] {
  return Object.entries(conditions).flatMap(([name, condition]) => {
    if (typeof condition !== "string") return [];
    const [, pattern] = /^\/(.*)\/[a-z]*$/s.exec(condition) ?? [];
    if (pattern === undefined || !/[\\^$|+()]/.test(pattern)) return [];
    const message = `'${condition}' is a glob, whose slashes and signs are matched literally`;
    const hint = `For a regular expression write {"regex": ${JSON.stringify(pattern)}}.`;
    return [{ path: ["policy", "rules", index, "arguments", name], message, hint }];
  });
}

async function checkRedaction(
  patterns: readonly string[],
  merged: Merged,
): Promise<ConfigProblem[]> {
  const placedPatterns = patterns.map((pattern, index) => ({
    path: ["results", "redact", "patterns", index],
    pattern,
  }));
  return asProblems(
    await checkPatterns(placedPatterns, "Look-around and back references are not supported."),
    merged,
  );
}

async function checkPatterns(
  placedPatterns: readonly { path: Path; pattern: string }[],
  hint: string,
): Promise<Finding[]> {
  if (placedPatterns.length === 0) return [];
  const { patternProblem } = await import("../lib/text/linear-pattern.ts");
  return placedPatterns.flatMap(({ path, pattern }) => {
    const problem = patternProblem(pattern);
    if (problem === null) return [];
    return [{ path, message: `'${pattern}' is not a valid pattern: ${problem}`, hint }];
  });
}

function asProblems(
  findings: readonly Finding[],
  merged: Merged,
  severity: ConfigProblem["severity"] = "error",
): ConfigProblem[] {
  return findings.map(({ path, ...finding }) => ({
    ...merged.placeOf(path),
    severity,
    ...finding,
  }));
}

function isTimezone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}
