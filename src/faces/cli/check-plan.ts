import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson } from "./output.ts";
import { readPlanFile } from "./read-plan-file.ts";
import { renderCheck } from "./tool-plan-view.ts";
import { withPlane } from "./with-plane.ts";

/** 1 when something is wrong. */
export async function checkPlan(cli: Cli, path: string, options: GlobalOptions): Promise<number> {
  const text = await readPlanFile(path);
  const check = await withPlane(cli, options, (plane) => plane.plans.check(text, { face: "cli" }));
  if (options.json) printJson(check);
  else print(renderCheck(path, check));
  return check.ok ? 0 : 1;
}
