import { countOf, nounFor } from "../../lib/text/wording.ts";
import { mayBelongTo } from "../../model/catalogue/tool-name.ts";
import type { ConfigProblem } from "../../model/config/config.ts";
import type { ProjectTrust, TrustLine } from "../../model/config/setup.ts";
import { objectOrEmpty, type Path, renderPath } from "../../model/json.ts";
import type { Environment } from "../environment.ts";
import { type Merged, mergeSettings, unitOf } from "../merge-settings.ts";
import type { Setting } from "../shapes/reading.ts";
import { tighten } from "./guards.ts";
import { renderLaunch, renderSetting, settingsLine, type TrustDecision } from "./lines.ts";
import { isGuard, lineOf } from "./project-keys.ts";
import { findPulled, type PulledFile } from "./pulled-files.ts";

/** Files that were found in a directory and not named by a person. */
export type Project = {
  /** Where the person works; null for a plane that several directories share. */
  directory: string | null;
  files: readonly string[];
  answer: TrustDecision;
  dataDirectory?: string | undefined;
  /** The person's own files of clients that count as configuration. */
  ofClients?: readonly string[];
};

/** One that has files. */
export type JudgedProject = Project & { directory: string };

export type JudgedSettings = {
  /** The settings in force, in the order of their weight. */
  layers: Setting[][];
  /** Not in force until a person trusts them. */
  waiting: Setting[];
  /** Files that are a part of it. */
  pulled: PulledFile[];
  trust: ProjectTrust;
  problems: ConfigProblem[];
};

/** Sorts what a project's files say into what is in force and what waits for a person. The user's own files come first. */
export function judgeProject(
  ownLayers: readonly Setting[][],
  project: readonly Setting[][],
  { directory, files: configFiles, answer }: JudgedProject,
  environment: Environment,
): JudgedSettings {
  const ownSettings = mergeSettings(ownLayers);
  const projectSettings = mergeSettings(project);
  const { guards, shadowed, ...sorted } = sort(ownSettings, projectSettings);
  const { before, after, refused } = tighten(guards, ownSettings, environment);
  const { servers, settings } = sorted;
  const lines = judgeLines(sorted, projectSettings, {
    directory,
    configFiles,
    answer,
    environment,
  });
  const inForce = lines.settings?.inForce ?? true;
  const trustedServers = lines.servers
    .filter((line) => line.inForce)
    .flatMap(({ name }) => servers.get(name) ?? []);
  const waitingServers = lines.servers.filter((line) => !line.inForce).map(({ name }) => name);
  const isUnread = ({ kind, line }: PulledFile) => kind === "manifest" && inForce && !line.inForce;
  const unreadFiles = lines.pulled.filter(isUnread).map(({ line }) => line.name);
  const problem = (path: Path, message: string, hint: string): ConfigProblem => ({
    ...projectSettings.placeOf(path),
    severity: "warning",
    message,
    hint,
  });
  const { pulled } = lines;
  const files = [...new Map(pulled.map(({ line }) => [line.hash, line])).values()];
  return {
    layers: [before, ...ownLayers, [...(inForce ? settings : []), ...trustedServers, ...after]],
    waiting: [
      ...(inForce ? [] : settings),
      ...waitingServers.flatMap((name) => servers.get(name) ?? []),
    ],
    pulled,
    trust: { directory, servers: lines.servers, settings: lines.settings, files, own: [] },
    problems: [
      ...refused.map(({ path, why }) =>
        problem(path, `${why}: a project's file can only tighten`, ownFile),
      ),
      ...shadowed.map((path) => problem(path, "your own configuration already sets it", ownFile)),
      ...warnAboutUntrusted(
        waitingServers,
        inForce ? "" : (lines.settings?.name ?? ""),
        unreadFiles,
        changedIn(lines),
      ).map((message) => ({
        file: directory,
        line: null,
        path: "",
        severity: "warning" as const,
        message,
        hint: "Look at it, then trust it: toolplane trust",
      })),
    ],
  };
}

type Sorted = { servers: ReadonlyMap<string, readonly Setting[]>; settings: readonly Setting[] };
type TrustContext = {
  directory: string;
  configFiles: readonly string[];
  answer: TrustDecision;
  environment: Environment;
};

/** A line for each server, for the settings and for each file, and which of them is in force. */
function judgeLines({ servers, settings }: Sorted, projectSettings: Merged, context: TrustContext) {
  const { answer } = context;
  const sections = [...new Set(settings.map(({ path }) => String(path[0])))].sort().join(", ");
  const rendered = settings.map(renderSetting).join("; ");
  const written = settings.length === 0 ? null : settingsLine(sections, rendered, settings, answer);
  const entries = new Map(
    [...servers].map(([name, serverSettings]) => [
      name,
      settingsLine(
        name,
        renderLaunch(name, projectSettings, serverSettings),
        serverSettings,
        answer,
      ),
    ]),
  );
  const mayExpand = (server?: string) =>
    (server === undefined ? written : entries.get(server))?.trusted === true;
  const pulled = findPulled({ ...context, servers, settings, mayExpand });
  const areTrusted = (isNeeded: (needs: PulledFile["needs"]) => boolean) =>
    pulled.every(({ needs, line }) => line.trusted || !isNeeded(needs));
  // Hooks, variables and overlays are part of how a server runs: without them it does not.
  const inForce = (written?.trusted ?? true) && areTrusted((needs) => needs === "settings");
  return {
    settings: written && { ...written, inForce },
    servers: [...entries].map(([name, line]): TrustLine => {
      return {
        ...line,
        inForce: line.trusted && inForce && areTrusted((needs) => isFor(needs, "server", name)),
      };
    }),
    pulled: pulled.map((pulledFile): PulledFile => {
      const hasAll =
        pulledFile.kind !== "manifest" ||
        areTrusted((needs) => isFor(needs, "manifest", pulledFile.file));
      return {
        ...pulledFile,
        line: { ...pulledFile.line, inForce: pulledFile.line.trusted && inForce && hasAll },
      };
    }),
  };
}

function isFor(needs: PulledFile["needs"], kind: "server" | "manifest", name: string): boolean {
  return needs !== "settings" && (needs as Record<string, unknown>)[kind] === name;
}

const ownFile = "Set it in your own configuration, or name this file with --config.";

/** What was trusted and is another now, in words. */
function changedIn({ servers, settings, pulled }: ReturnType<typeof judgeLines>): string[] {
  const names = (lines: readonly TrustLine[]) =>
    lines.filter(({ changed }) => changed).map(({ name }) => name);
  const files = [...new Set(names(pulled.map(({ line }) => line)))];
  return [
    ...names(servers).map((name) => `the server '${name}'`),
    ...(settings?.changed ? [`its settings (${settings.name})`] : []),
    ...files.map((name) => `the file ${name}`),
  ];
}

function warnAboutUntrusted(
  servers: readonly string[],
  sections: string,
  files: readonly string[],
  changed: readonly string[],
): string[] {
  const missing = [
    ...(servers.length > 0 ? [`${countOf(servers.length, "server")} (${servers.join(", ")})`] : []),
    ...(sections === "" ? [] : [`its settings (${sections})`]),
    ...(files.length > 0 ? [`${countOf(files.length, "file")} (${files.join(", ")})`] : []),
  ];
  if (missing.length === 0) return [];
  const why =
    changed.length === 0
      ? "this project is not trusted yet"
      : `${changed.join(" and ")} of this project ${nounFor(changed.length, "has", "have")} changed since you trusted it`;
  return [`${why}, so it goes without ${missing.join(" and ")}`];
}

function sort(ownSettings: Merged, projectSettings: Merged) {
  const servers = new Map<string, Setting[]>();
  const guards: Setting[] = [];
  const settings: Setting[] = [];
  const shadowed = new Map<string, Path>();
  const ownPaths = new Set(ownSettings.settings.map(({ path }) => renderPath(unitOf(path))));
  const ownServers = Object.keys(objectOrEmpty(ownSettings.values.servers));
  for (const setting of projectSettings.settings) {
    const [section, name = ""] = setting.path;
    const unit = unitOf(setting.path);
    const isOverlay =
      section === "overlays" && ownServers.some((server) => mayBelongTo(server, String(name)));
    const line = lineOf(setting.path);
    const mayReplace = line === "replace" || line === "add";
    if (isGuard(line)) guards.push(setting);
    else if (isOverlay || (ownPaths.has(renderPath(unit)) && !mayReplace))
      shadowed.set(renderPath(unit), unit);
    else if (line !== "launch") settings.push(setting);
    else servers.set(String(name), [...(servers.get(String(name)) ?? []), setting]);
  }
  return { servers, guards, settings, shadowed: [...shadowed.values()] };
}
