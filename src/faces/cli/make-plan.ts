import { writeFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { fileErrorText } from "../../lib/files.ts";
import type { Outcome } from "../../model/calls/call.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson, say } from "./output.ts";
import { exitCodeOf, printOutcome, sayWhatWaits } from "./print-outcome.ts";
import { terminal } from "./terminal.ts";
import { withPlane } from "./with-plane.ts";

type MakeOptions = GlobalOptions & { out?: string; force?: boolean; planner: string; timeout: number };

const bundled = "planner.plan_with_tools";

export async function makePlan(cli: Cli, given: string, options: MakeOptions): Promise<number> {
  const task = (given === "-" ? await readAll(terminal.stdin) : given).trim();
  if (task === "")
    throw new PlaneError("USAGE", "The task is empty. Say what is to be done: toolplane plan make 'TASK'.");
  const { planner, timeout } = options;
  const work = async (plane: Plane, signal: AbortSignal) => {
    const planned = await plane.call(planner, { task }, { face: "cli", signal, timeoutMs: timeout * 1000 });
    if (!options.json) await sayWhatWaits(plane, planned);
    return planned;
  };
  const outcome = await withPlane(cli, options, work);
  if (planner === bundled && outcome.error?.code === "TOOL_NOT_FOUND") throw noPlanner();
  const script = scriptOf(outcome);
  const path = script === null || options.out === undefined ? null : save(script, options.out, options);
  if (options.json) printJson({ ...outcome, ...(path === null ? {} : { path }) });
  else if (script === null) printOutcome(outcome);
  else tell(outcome, script, path);
  return exitCodeOf(outcome);
}

function scriptOf({ result }: Outcome): string | null {
  const said = result?.isError ? undefined : result?.structuredContent;
  return isObject(said) && typeof said.script === "string" ? said.script : null;
}

/** The script alone goes to standard output, so that it can be piped. */
function tell({ result }: Outcome, script: string, path: string | null): void {
  const said = result?.structuredContent;
  if (isObject(said) && typeof said.results === "string") say(said.results);
  if (path === null) print(script.trimEnd());
  else if (isObject(said) && Array.isArray(said.steps) && said.steps.length > 0)
    say(`Wrote ${path}. Try it: toolplane plan run ${path} --dry-run`);
  else say(`Wrote ${path}, with no step in it: write the calls that it needs, then 'toolplane plan check ${path}'.`);
}

function save(script: string, path: string, { force = false }: MakeOptions): string {
  try {
    writeFileSync(path, script, { mode: 0o755, flag: force ? "w" : "wx" });
    return path;
  } catch (thrown) {
    const isThere = (thrown as NodeJS.ErrnoException).code === "EEXIST";
    const why = `${fileErrorText(thrown)}${isThere ? "; --force overwrites it" : ""}`;
    throw new PlaneError("USAGE", `The plan cannot be written to '${path}': ${why}.`);
  }
}

function noPlanner(): PlaneError {
  return new PlaneError(
    "TOOL_NOT_FOUND",
    "No planner is configured. Add the one that comes with Toolplane: toolplane servers add planner -- toolplane planner",
  );
}
