import { dirname, resolve } from "node:path";
import { deepFreeze } from "../lib/deep-freeze.ts";
import type { ConfigProblem, ConfigValues } from "../model/config.ts";
import type { Manifests } from "../model/manifests.ts";
import { findFiles } from "./manifests/find-files.ts";
import type { Merged } from "./merge-settings.ts";
import type { Environment } from "./secrets/expand-environment.ts";

type Loaded = {
  manifests: Manifests;
  problems: ConfigProblem[];
  /** The files that the globs mean at the moment it is asked. */
  files(): string[];
};

/** The manifest files that a configuration names, relative to the file that names them. */
export async function loadManifests(
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
    // Whoever looks at the configuration holds what the registry lists.
    manifests: deepFreeze({
      ...read.manifests,
      tools: read.manifests.tools.filter((tool) => !isTaken(tool)),
    }),
    problems: [...problems, ...read.problems],
    files,
  };
}

function globProblem(merged: Merged, globs: readonly string[], at: number, what: string): ConfigProblem {
  const path = ["manifests", at];
  const hint = "It starts where this file is; ** stands for directories.";
  return {
    ...merged.placeOf(path),
    severity: "warning",
    message: `'${globs[at]}' ${what}`,
    hint,
  };
}
