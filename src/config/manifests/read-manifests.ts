import { dirname, relative } from "node:path";
import type { ConfigProblem, Manifests } from "../../model/config/config.ts";
import { type Path, renderPath } from "../../model/json.ts";
import { checkProviders } from "../check-providers.ts";
import type { Report } from "../parse-value.ts";
import type { Environment } from "../secrets/expand-environment.ts";
import { readDocument } from "../text/read-document.ts";
import { checkTool } from "./check-tool.ts";
import { type Entry, entriesIn, type Misplaced, ownerInPath } from "./entries.ts";
import { readWork, type Tell } from "./read-work.ts";

export type ManifestsRead = { manifests: Manifests; problems: ConfigProblem[] };

/** Reads every file and reports everything. Whatever is wrong costs only the entry it is wrong with. */
export async function readManifests(
  files: readonly string[],
  directory: string,
  environment: Environment,
): Promise<ManifestsRead> {
  const problems: ConfigProblem[] = [];
  const documents = await Promise.all(files.map(readDocument));
  const found = documents.flatMap((read) => {
    problems.push(...read.problems.map((problem) => inManifest(problem, directory)));
    return read.document ? entriesIn(read.document, relative(directory, read.document.file)) : [];
  });
  const entries = firstOfEach(found, problems);
  const manifests: Manifests = { tools: [], skills: [], tasks: [], jobs: [] };
  const tell: Tell = (entry, ...what) => problems.push(problemAt(entry, ...what));

  for (const entry of entries.filter(({ kind }) => kind === "tool")) {
    const { document, owner } = entry;
    const report: Report = (path, message, hint = null) => tell(entry, path, "error", message, hint);
    const tool = checkTool(entry, report, (problem) => problems.push({ ...problem, owner }));
    if (!tool) continue;
    const usable = checkProviders(tool, {
      environment,
      directory: dirname(document.file),
      report: (path, message, hint = null) =>
        tell(entry, path, "warning", `${message}; this provider is not used`, hint),
    });
    manifests.tools.push({ ...usable, ...placeOf(entry, directory) });
  }
  await readWork(entries, { manifests, tell, placeOf: (entry) => placeOf(entry, directory) });
  for (const list of Object.values(manifests)) list.sort(byOwnerAndName);
  return { manifests, problems };
}

/** What is out of order with the text of a file. */
function inManifest(problem: ConfigProblem, directory: string): ConfigProblem {
  const isEmpty = problem.message === "the file is empty";
  return {
    ...problem,
    owner: ownerInPath(relative(directory, problem.file)),
    hint: isEmpty ? "Write one manifest or a list of them into it." : problem.hint,
  };
}

function placeOf({ document: { file } }: Entry, directory: string): { file: string; source: string } {
  return { file, source: `manifest:${relative(directory, file)}` };
}

/** Two of a kind with one name and one owner never mix; the first counts. */
function firstOfEach(found: readonly (Entry | Misplaced)[], problems: ConfigProblem[]): Entry[] {
  const known = new Map<string, Entry>();
  return found.filter((entry): entry is Entry => {
    if (!("kind" in entry)) {
      problems.push(problemAt(entry, [], "error", "a manifest must be an object", null));
      return false;
    }
    if (entry.name === undefined) {
      problems.push(problemAt(entry, [], "error", `a ${entry.kind} needs a 'name'`, null));
      return false;
    }
    const key = JSON.stringify([entry.kind, entry.owner, entry.name]);
    const first = known.get(key);
    if (first === undefined) return known.set(key, entry) !== undefined;
    const place = `${first.document.file}:${first.document.lineOf(first.source) ?? 1}`;
    const message = `${entry.kind} '${entry.name}' is defined already in ${place}, which counts`;
    problems.push(problemAt(entry, [], "error", message, "Remove or rename one of them."));
    return false;
  });
}

function problemAt(
  { document, source, owner, ...named }: Misplaced | Entry,
  path: Path,
  severity: ConfigProblem["severity"],
  message: string,
  hint: string | null,
): ConfigProblem {
  const place = [...source, ...path];
  const [file, line] = [document.file, document.lineOf(place)];
  const entry = "kind" in named && named.name !== undefined ? { entry: { kind: named.kind, name: named.name } } : {};
  return { file, line, path: renderPath(place), owner, ...entry, severity, message, hint };
}

function byOwnerAndName(
  a: { name: string; persona?: string | undefined },
  b: { name: string; persona?: string | undefined },
): number {
  const [left, right] = [a, b].map(({ name, persona = "" }) => `${persona}\0${name.toLowerCase()}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
}
