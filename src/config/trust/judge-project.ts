import { hash, stableJson } from "../../lib/json/stable-json.ts";
import { shellQuote } from "../../lib/text/shell.ts";
import { countOf } from "../../lib/text/wording.ts";
import { mayBelongTo } from "../../model/catalogue/tool-name.ts";
import type { ConfigProblem } from "../../model/config/config.ts";
import type { ProjectTrust, TrustLine } from "../../model/config/setup.ts";
import { isObject, type Path, renderPath } from "../../model/json.ts";
import type { Environment } from "../environment.ts";
import { type Merged, mergeSettings, unitOf } from "../merge-settings.ts";
import type { Setting } from "../shapes/reading.ts";
import { tighten } from "./guards.ts";
import { isGuard, lineOf } from "./project-keys.ts";

/** Files that were found in a directory and not named by a person. */
export type Project = {
  directory: string;
  files: readonly string[];
  answer(hash: string): boolean | undefined;
};

export type Judged = {
  /** The settings in force, in the order of their weight. */
  layers: Setting[][];
  /** Not in force until a person trusts them. */
  waiting: Setting[];
  trust: ProjectTrust;
  problems: ConfigProblem[];
};

/** Sorts what a project's files say into what is in force and what waits for a person. The user's own files come first. */
export function judgeProject(
  own: readonly Setting[][],
  project: readonly Setting[][],
  { directory, answer }: Project,
  environment: Environment,
): Judged {
  const [mine, theirs] = [mergeSettings(own), mergeSettings(project)];
  const { servers, guards, settings, shadowed } = sort(mine, theirs);
  const { before, after, refused } = tighten(guards, mine, environment);
  const line = (name: string, launch: string, of: readonly Setting[]): TrustLine => {
    const entries = of.map(({ path, value }) => stableJson([path, value])).sort();
    const made = hash({ name, entries });
    return { name, launch: visible(launch), hash: made, trusted: answer(made) === true };
  };
  const sections = [...new Set(settings.map(({ path }) => String(path[0])))].sort().join(", ");
  const rest = settings.length === 0 ? null : line(sections, settings.map(renderSetting).join("; "), settings);
  const lines = [...servers].map(([name, of]) => line(name, renderLaunch(name, theirs, of), of));
  // Hooks, variables and overlays are part of how a server runs: without them it does not.
  const inForce = rest === null || rest.trusted;
  const isUsed = ({ trusted }: TrustLine) => trusted && inForce;
  const used = lines.filter(isUsed).flatMap(({ name }) => servers.get(name) ?? []);
  const waits = lines.filter((one) => !isUsed(one)).map(({ name }) => name);
  const problem = (path: Path, message: string, hint: string): ConfigProblem => ({
    ...theirs.placeOf(path),
    ...{ severity: "warning", message, hint },
  });
  return {
    layers: [before, ...own, [...(inForce ? settings : []), ...used, ...after]],
    waiting: [...(inForce ? [] : settings), ...waits.flatMap((name) => servers.get(name) ?? [])],
    trust: { directory, servers: lines, settings: rest },
    problems: [
      ...refused.map(({ path, why }) => problem(path, `${why}: a project's file can only tighten`, ownFile)),
      ...shadowed.map((path) => problem(path, "your own configuration says it already, which counts", ownFile)),
      ...tellWaiting(waits, inForce ? "" : sections).map((message) => ({
        ...{ file: directory, line: null, path: "", severity: "warning" as const, message },
        hint: "Look at it, then trust it: toolplane trust",
      })),
    ],
  };
}

const ownFile = "Set it in your own configuration, or name this file with --config.";

function tellWaiting(servers: readonly string[], sections: string): string[] {
  const what = [
    ...(servers.length > 0 ? [`${countOf(servers.length, "server")} (${servers.join(", ")})`] : []),
    ...(sections === "" ? [] : [`its settings (${sections})`]),
  ];
  return what.length === 0 ? [] : [`this project is not trusted yet, so it goes without ${what.join(" and ")}`];
}

function sort(mine: Merged, theirs: Merged) {
  const servers = new Map<string, Setting[]>();
  const guards: Setting[] = [];
  const settings: Setting[] = [];
  const shadowed = new Map<string, Path>();
  const said = new Set(mine.settings.map(({ path }) => renderPath(unitOf(path))));
  const ownServers = Object.keys(isObject(mine.values.servers) ? mine.values.servers : {});
  for (const setting of theirs.settings) {
    const [section, name = ""] = setting.path;
    const unit = unitOf(setting.path);
    const isOverlay = section === "overlays" && ownServers.some((server) => mayBelongTo(server, String(name)));
    const line = lineOf(setting.path);
    const mayReplace = line === "replace" || line === "add";
    if (isGuard(line)) guards.push(setting);
    else if (isOverlay || (said.has(renderPath(unit)) && !mayReplace)) shadowed.set(renderPath(unit), unit);
    else if (line !== "launch") settings.push(setting);
    else servers.set(String(name), [...(servers.get(String(name)) ?? []), setting]);
  }
  return { servers, guards, settings, shadowed: [...shadowed.values()] };
}

/** The command or the address as it is written, then everything else that the entry says. */
function renderLaunch(name: string, { values }: Merged, settings: readonly Setting[]): string {
  const entry = isObject(values.servers) ? values.servers[name] : null;
  const { command, args, url, openapi } = isObject(entry) ? entry : {};
  const words = (command === undefined ? [url ?? openapi ?? ""] : [command, args ?? []])
    .flat()
    .map((word) => shellQuote(String(word)));
  const shown = command === undefined ? [url === undefined ? "openapi" : "url"] : ["command", "args"];
  const others = settings.filter(({ path }) => !shown.includes(String(path[2])));
  return [words.join(" "), ...others.map((setting) => renderSetting({ ...setting, path: setting.path.slice(2) }))].join(
    "; ",
  );
}

function renderSetting({ path, value }: Setting): string {
  return `${renderPath(path)}=${JSON.stringify(value) ?? "null"}`;
}

/** Nothing in a launch line may hide another part of it. */
function visible(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}
