import { hash, stableJson } from "../../lib/json/stable-json.ts";
import type { Config, ConfigProblem, UntrustedServer } from "../../model/config/config.ts";
import type { TrustLine } from "../../model/config/setup.ts";
import type { Environment } from "../environment.ts";
import type { Merged } from "../merge-settings.ts";
import { mentionsWorkspace } from "../secrets/references.ts";
import type { Setting } from "../shapes/reading.ts";
import {
  asksForWorkspace,
  directoryOfSource,
  isOwnSource,
  workspaceProblem,
} from "../start-place.ts";
import type { Project } from "./judge-project.ts";
import { lineWith, renderLaunch, type TrustDecision } from "./lines.ts";

export type JudgedOwn = {
  /** Servers of the user's own that work in the directory they are used in, trusted or not. */
  inWorkspace: string[];
  lines: TrustLine[];
  untrusted: Record<string, UntrustedServer>;
  broken: Record<string, string>;
  problems: ConfigProblem[];
};

type JudgeContext = { merged: Merged; environment: Environment; project: Project | undefined };

/** A server of the user's own runs in a directory that may be a stranger's only where the person trusts that directory for it. */
export function judgeOwnServers(
  servers: Config["servers"],
  { merged, environment, project }: JudgeContext,
): JudgedOwn {
  const judged: JudgedOwn = { inWorkspace: [], lines: [], untrusted: {}, broken: {}, problems: [] };
  const directory = project?.directory ?? null;
  for (const [name, definition] of Object.entries(servers)) {
    const file = merged.originOf(["servers", name])?.file ?? "";
    if (!definition.enabled || !isOwnSource(file, environment, project)) continue;
    const settings = settingsOf(name, merged);
    const directoryOfFile = directoryOfSource(file, project?.dataDirectory);
    if (
      !mentionsWorkspace(settings.map(({ value }) => value)) &&
      !asksForWorkspace(definition, directoryOfFile)
    )
      continue;
    const addProblem = (
      severity: ConfigProblem["severity"],
      path: string[],
      message: string,
      hint: string,
    ) =>
      judged.problems.push({
        ...merged.placeOf(["servers", name, ...path]),
        severity,
        message,
        hint,
      });
    judged.inWorkspace.push(name);
    const problem = workspaceProblem(definition);
    if (problem !== null) {
      judged.broken[name] = `cwd: ${problem}`;
      addProblem(
        "error",
        ["cwd"],
        problem,
        "Name the directory as an argument instead, such as '.', or start the installed program.",
      );
      continue;
    }
    // Where the plane belongs to no directory, that of each caller is judged.
    if (project === undefined || directory === null) continue;
    const line = ownLine(name, merged, project.answer);
    judged.lines.push(line);
    if (line.trusted) continue;
    judged.untrusted[name] = { launch: line.launch, hash: line.hash, why: notTrustedHere };
    addProblem(
      "warning",
      [],
      `it works in ${directory}, which is not trusted for it yet`,
      lookFirst,
    );
  }
  return judged;
}

const lookFirst = "Look at it, then trust it: toolplane trust";
const notTrustedHere = {
  what: "not trusted yet: it would work in this directory",
  remedy: "Look at what it starts, then trust it with 'toolplane trust'",
};

/** What a person trusts in a directory: the same line in each, with an answer for each. */
export function ownLine(name: string, merged: Merged, answer: TrustDecision): TrustLine {
  const settings = settingsOf(name, merged);
  const entries = settings.map(({ path, value }) => stableJson([path, value])).sort();
  const launch = `${renderLaunch(name, merged, settings)}; works in this directory`;
  return lineWith(name, launch, hash({ own: name, entries }), answer);
}

function settingsOf(name: string, { settings }: Merged): Setting[] {
  return settings.filter(({ path }) => path[0] === "servers" && path[1] === name);
}
