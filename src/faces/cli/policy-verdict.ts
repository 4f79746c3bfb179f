import { plainText } from "../../lib/text/plain-text.ts";
import type { PolicyMode } from "../../model/calls/call.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Face } from "../../model/principal.ts";
import { readCallArguments, typedForTool } from "./call-arguments.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { print, printJson } from "./output.ts";
import { withPlane } from "./with-plane.ts";

type TestOptions = GlobalOptions & { args?: string; face: Face; mode?: PolicyMode };

const means = {
  allow: "it runs",
  ask: "it waits for a person's yes",
  queue: "it is queued in a plan",
  deny: "it is refused",
} as const;

export async function testPolicy(
  cli: Cli,
  tool: string,
  values: string[],
  { face, mode, args, ...options }: TestOptions,
): Promise<void> {
  const given = await readCallArguments(args, values);
  if (!isObject(given)) throw new PlaneError("USAGE", `--args must be a JSON object like {"key": "value"}.`);
  const tested = await withPlane(cli, options, async (plane) => {
    const typed = (await typedForTool(plane, tool, given, values)) as JsonObject;
    return plane.policy.test(tool, typed, { face, ...(mode === undefined ? {} : { mode }) });
  });
  if (options.json) return printJson(tested);
  const { verdict, origin, reason, rule, effect } = tested;
  print(`${colors.bold(verdict)}: ${means[verdict]}`);
  const facts = [
    ["tool", tested.tool],
    ["because", reason],
    ["origin", rule === undefined ? origin : `policy.rules[${rule}]`],
    ["effect", `${effect.effect}: ${effect.because}`],
  ];
  for (const [label, value] of facts) print(`${colors.dim(String(label).padEnd(8))} ${plainText(String(value))}`);
}
