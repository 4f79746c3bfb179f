import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { ChangedDefaults } from "../../../model/config/changed-defaults-schema.ts";
import { type ConfigProblem, renderConfigProblem } from "../../../model/config/config.ts";
import type { Setup } from "../../../model/config/setup.ts";
import { isObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { changedDefaultsNotice } from "../terminal/changed-defaults.ts";
import { colors, print, printJson, show } from "../terminal/output.ts";
import { terminal } from "../terminal/terminal.ts";
import { withPlane } from "../with-plane.ts";

export function openSetup(
  cli: Cli,
  options: GlobalOptions,
  directory = terminal.directory(),
): Promise<Setup> {
  return cli.openSetup({ files: options.config ?? [], directory, dataDirectory: options.dataDir });
}

/** Exit code 1 when something is wrong: a check that failed. */
export async function validateConfig(
  cli: Cli,
  options: GlobalOptions & { strict?: boolean },
): Promise<number> {
  const { files, problems } = await (await openSetup(cli, options)).check();
  const errors = problems.filter(({ severity }) => options.strict || severity === "error");
  const ok = errors.length === 0;
  const defaults = ok ? await readChangedDefaults(cli, options) : null;
  if (options.json) printJson({ ok, files, problems, ...(defaults && { defaults }) });
  else {
    if (problems.length > 0) print(listProblems(problems));
    const notice = defaults && changedDefaultsNotice(defaults);
    if (notice !== null) print(`${colors.yellow("▲")} ${notice}`);
    // In the words of the warnings that other commands print.
    const warnings = problems.length - errors.length;
    const counts: string[] = [];
    if (errors.length > 0) counts.push(countOf(errors.length, "error"));
    if (warnings > 0) counts.push(countOf(warnings, "warning"));
    const count = counts.join(" and ");
    const usable = `✔ ${files.join(", ")}: usable${count === "" ? "" : ` (${count})`}`;
    if (ok) print(colors.green(usable));
    else print(colors.red(`✖ ${count} in ${files.join(", ")}`));
  }
  return ok ? 0 : 1;
}

/** Null where none changed, or where the store cannot be read: the files are what is checked. */
async function readChangedDefaults(
  cli: Cli,
  options: GlobalOptions,
): Promise<ChangedDefaults | null> {
  try {
    const defaults = await withPlane(cli, options, (plane) => plane.defaults.list(), {
      isQuiet: true,
    });
    return defaults.changes.length === 0 ? null : defaults;
  } catch {
    return null;
  }
}

export async function showConfig(cli: Cli, options: GlobalOptions): Promise<void> {
  const shown = await withProfile(await (await openSetup(cli, options)).show(), cli, options);
  show(options, shown, () => JSON.stringify(shown, null, 2));
}

export async function explainConfig(cli: Cli, key: string, options: GlobalOptions): Promise<void> {
  const values = await (await openSetup(cli, options)).explain(key);
  for (const explained of values)
    if (explained.key === "policy.profile") explained.value ??= await defaultProfile(cli, options);
  if (options.json) return printJson({ values });
  for (const { key: path, value, origin } of values) {
    if (origin.file === "default") {
      print(
        `${colors.bold(path)}: not set${value === null ? "" : `; default ${JSON.stringify(value)}`}`,
      );
      continue;
    }
    const location = origin.line === null ? origin.file : `${origin.file}:${origin.line}`;
    print(
      `${colors.bold(path)} = ${JSON.stringify(value)}  ${colors.dim(`${location} (${origin.path})`)}`,
    );
  }
}

export async function printSchema(cli: Cli, options: GlobalOptions): Promise<void> {
  const schema = (await openSetup(cli, options)).schema();
  print(JSON.stringify(schema, null, 2));
}

function listProblems(problems: readonly ConfigProblem[]): string {
  return problems
    .map((problem) => {
      const mark = problem.severity === "error" ? colors.red("✖") : colors.yellow("▲");
      return `${mark} ${plainText(renderConfigProblem(problem))}`;
    })
    .join("\n");
}

/** The profile that holds where the configuration names none depends on who can call, so the plane is asked. */
async function defaultProfile(cli: Cli, options: GlobalOptions): Promise<Json> {
  try {
    const needsCredentials = await withPlane(
      cli,
      options,
      (plane) => plane.identity.needsCredentials(),
      { isQuiet: true },
    );
    return needsCredentials ? "guarded" : "personal";
  } catch {
    // A configuration that no plane starts with can be looked at all the same.
    return null;
  }
}

async function withProfile(
  shown: JsonObject,
  cli: Cli,
  options: GlobalOptions,
): Promise<JsonObject> {
  const { policy } = shown;
  if (!isObject(policy) || policy.profile !== null) return shown;
  return { ...shown, policy: { ...policy, profile: await defaultProfile(cli, options) } };
}
