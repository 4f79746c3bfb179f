import { type Command, InvalidArgumentError } from "commander";
import type { Cli } from "./cli.ts";
import { collect, examples, type SetExitCode } from "./command-parts.ts";
import { addToolPlanCommands } from "./tool-plan-commands.ts";

const id = "the plan's id, or its first characters; the newest that waits when left out";
const change = "only this one, by its number or its id; repeatable";

/** Changes that were queued instead of made, and plans that are made of calls. */
export function addPlanCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  const verbs = () => import("./plans.ts");
  const plan = program
    .command("plan")
    .description("changes that were queued instead of made; plans to make, check and run");
  plan
    .command("list")
    .description("every plan, newest first")
    .addHelpText("after", examples("plan list", "plan list --json"))
    .action(async (_, command: Command) => (await verbs()).listPlans(cli, command.optsWithGlobals()));
  plan
    .command("show")
    .description("what would be done, in order, with which arguments")
    .argument("[id]", id)
    .addHelpText("after", examples("plan show", "plan show 3f2a --json"))
    .action(async (given: string | undefined, _, command: Command) =>
      (await verbs()).showPlan(cli, given, command.optsWithGlobals()),
    );
  plan
    .command("approve")
    .description("run what waits, in order, until something fails")
    .argument("[id]", id)
    .option("--first <number>", "only the first so many; the rest goes on waiting", toCount)
    .option("--change <change>", change, collect)
    .option("--continue", "go on where something fails")
    .option("--args <change=json>", "run a change with these arguments instead; repeatable", collect)
    .addHelpText(
      "after",
      examples("plan approve", "plan approve --first 1", `plan approve --args '2={"text":"hi"}'`),
    )
    .action(async (given: string | undefined, _, command: Command) =>
      setExitCode(await (await verbs()).approvePlan(cli, given, command.optsWithGlobals())),
    );
  plan
    .command("reject")
    .description("none of what waits is done")
    .argument("[id]", id)
    .option("--change <change>", change, collect)
    .option("--reason <text>", "why, for whoever looks later")
    .addHelpText("after", examples("plan reject", "plan reject 3f2a --change 2 --reason 'not that branch'"))
    .action(async (given: string | undefined, _, command: Command) =>
      (await verbs()).rejectPlan(cli, given, command.optsWithGlobals()),
    );
  addToolPlanCommands(plan, cli, setExitCode);
}

function toCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1 on.");
}
