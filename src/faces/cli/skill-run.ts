import { plainText } from "../../lib/text/plain-text.ts";
import { errorTable, PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { SkillRun } from "../../model/work/skill-run.ts";
import { canBeAsked } from "./answer-questions.ts";
import { readCallArguments } from "./call-arguments.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printError, printJson, renderTable, say } from "./output.ts";
import { withPlane } from "./with-plane.ts";

type SkillRunOptions = GlobalOptions & {
  args?: string;
  yes?: boolean;
  dryRun?: boolean;
  model?: string;
  conversation?: string;
};

export async function runSkill(cli: Cli, name: string, values: string[], options: SkillRunOptions): Promise<number> {
  const input = await readInput(options.args, values);
  const { yes, dryRun, model, conversation } = options;
  const run = await withPlane(cli, options, async (plane, signal) =>
    plane.skills.run(name, input, {
      ...{ face: "cli", signal },
      ...(yes ? { consent: true } : {}),
      ...(dryRun ? { dryRun: true } : {}),
      ...(model === undefined ? {} : { model }),
      ...(conversation === undefined ? {} : { conversation }),
      ...(await askingFor(options)),
    }),
  );
  if (options.json) printJson(run);
  else printSkillRun(run);
  return run.error === null ? 0 : errorTable[run.error.code].exit;
}

/** `--args` first, then `key=value` pairs on top. */
export async function readInput(args: string | undefined, values: readonly string[]): Promise<JsonObject> {
  const given = await readCallArguments(args, values);
  if (isObject(given)) return given as JsonObject;
  throw new PlaneError("USAGE", "--args must be a JSON object: the input by its names.");
}

async function askingFor({ json }: SkillRunOptions) {
  if (json || !canBeAsked()) return {};
  return { askHere: (await import("./approval-prompt.ts")).askAtTerminal() };
}

/** The result is what was asked for; how it came about is for whoever watches. */
function printSkillRun({ steps, result, error, outcome }: SkillRun): void {
  const rows = steps.map((step) => [
    step.id,
    step.tool ?? "a model",
    step.state,
    step.durationMs === null ? "-" : `${Math.round(step.durationMs)} ms`,
    step.error?.code ?? "",
  ]);
  const table = renderTable(["STEP", "TOOL", "STATE", "TIME", "ERROR"], rows);
  if (outcome === "planned") return print(rows.length > 0 ? table : "A model follows the instructions.");
  if (rows.length > 0) say(table);
  if (error !== null) return printError(error);
  if (result !== null) print(typeof result === "string" ? plainText(result) : JSON.stringify(result, null, 2));
}
