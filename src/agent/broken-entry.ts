import { type Config, renderProblem } from "../model/config.ts";
import { PlaneError } from "../model/errors.ts";
import { renderPath } from "../model/path.ts";

/** The failure to use a model or a toolset that is configured, and wrongly; null when nothing is known of it. */
export function brokenEntry(config: Config, section: "models" | "toolsets", name: string): PlaneError | null {
  const path = renderPath([section, name]);
  const problem = config.problems.find(
    ({ path: written, key = written }) =>
      key === path || key.startsWith(`${path}.`) || key.startsWith(`${path}[`),
  );
  if (problem === undefined) return null;
  const what = section === "models" ? "Model" : "Toolset";
  return new PlaneError("CONFIG_INVALID", `${what} '${name}' cannot be used: ${renderProblem(problem)}`, {
    data: { path: problem.path },
  });
}

/** The names of entries that something is wrong with. */
export function brokenNames(config: Config, section: "models" | "toolsets"): string[] {
  const named = new RegExp(`^${section}\\.([^.[]+)`);
  return [...new Set(config.problems.flatMap(({ path, key = path }) => named.exec(key)?.[1] ?? []))];
}
