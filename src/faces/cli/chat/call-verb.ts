import { PlaneError } from "../../../model/errors.ts";
import { argumentHints, readCallArguments, typedForTool } from "../call-arguments.ts";
import { colors } from "../colors.ts";
import { print } from "../output.ts";
import { exitCodeOf, printOutcome } from "../print-outcome.ts";
import { askInLine } from "./ask-in-line.ts";
import { type Chat, callOptions, usage, type Verb } from "./chat-state.ts";

export const call: Verb = {
  usage: "TOOL [key=value…] [key:=json…]",
  about: "call a tool",
  endsItself: true,
  async run(chat, [tool, ...values]) {
    if (tool === undefined) throw usage("call", call);
    const given = await readCallArguments(undefined, values);
    await requireHere(chat, tool);
    const args = await typedForTool(chat.plane, tool, given, values);
    const outcome = await chat.plane.call(tool, args, { ...callOptions(chat), askHere: askInLine(chat) });
    const { call: called, plan, approval } = outcome;
    if (called.status !== "waiting")
      printOutcome(outcome, await argumentHints(chat.plane, tool, outcome, values));
    else if (plan) print(`${colors.yellow("queued")} /plan show tells what waits, /approve runs it.`);
    else print(`${colors.yellow("waiting")} /approve ${approval?.id.slice(0, 8)} runs it.`);
    // To queue it is what was wanted.
    if (called.status === "waiting" && plan) return 0;
    return exitCodeOf(outcome);
  },
};

/** A call would start its server again. */
async function requireHere({ plane, away }: Chat, name: string): Promise<void> {
  if (away.size === 0) return;
  const tool = await plane.tool(name).catch(() => null);
  const server = tool?.id.server ?? null;
  if (server !== null && away.has(server))
    throw new PlaneError(
      "SERVER_UNAVAILABLE",
      `'${name}' is gone: '${server}' was disconnected here. /mcp connect ${server} brings it back.`,
      { data: { server } },
    );
}
