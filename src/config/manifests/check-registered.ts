import type { ToolManifest } from "../../model/catalogue/tool.ts";
import { type ConfigProblem, renderProblems } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import { type Path, renderPath } from "../../model/json.ts";
import { checkProviders } from "../check-providers.ts";
import { workingDirectory } from "../environment.ts";
import type { Environment } from "../secrets/expand-environment.ts";
import { checkTool } from "./check-tool.ts";
import { toEntry } from "./entries.ts";

const file = "(registered)";

/** A tool that a program gives us, held to what is asked of a file; throws with everything that is wrong. */
export function checkRegistered(given: { readonly [key: string]: unknown }, environment: Environment): ToolManifest {
  const problems: ConfigProblem[] = [];
  const report = (path: Path, message: string, hint: string | null = null) =>
    problems.push({ file, line: null, path: renderPath(path), severity: "error", message, hint });
  const document = { file, data: given, lineOf: () => null };
  const entry = toEntry({ ...given }, { document, source: [], path: "", fallbackName: undefined });
  const tool = checkTool(entry, report, (problem) => {
    if (problem.severity === "error") problems.push(problem);
  });
  const checked = tool && checkProviders(tool, { environment, directory: workingDirectory(), report });
  if (checked && problems.length === 0) return checked;
  throw new PlaneError("CONFIG_INVALID", `The tool cannot be registered. ${renderProblems(problems)}`, {
    data: { problems, ...(entry.name === undefined ? {} : { tool: entry.name }) },
  });
}
