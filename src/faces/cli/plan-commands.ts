import { type Command, InvalidArgumentError } from "commander";
import type { Cli } from "./cli.ts";
import { collect, examples, type SetExitCode, toSeconds } from "./command-parts.ts";

const file = "a script of 'toolplane call' lines, or its steps as JSON; - for standard input";

/** Plans that are made of calls: made by a planner or by hand, looked at, run. */
function addToolPlanCommands(plan: Command, cli: Cli, setExitCode: SetExitCode): void {
  plan
    .command("make")
    .description("have a task planned with the tools there are; prints a script and calls nothing")
    .argument("<task>", "what is to be done, in plain words; - for standard input")
    .option("--out <file>", "write the script into this file")
    .option("--force", "overwrite a file that is there already")
    .option("--planner <tool>", "the tool that plans", "planner.plan_with_tools")
    .option("--timeout <seconds>", "how long the planner may take; 0 for no limit", toSeconds, 300)
    .addHelpText("after", examples("plan make 'greet Ann and Bob'", "plan make 'greet Ann and Bob' --out greet.sh"))
    .action(async (task: string, _, command: Command) =>
      setExitCode(await (await import("./make-plan.ts")).makePlan(cli, task, command.optsWithGlobals())),
    );
  plan
    .command("check")
    .description("what is wrong with a plan, line by line; nothing of it is run")
    .argument("<file>", file)
    .addHelpText("after", examples("plan check greet.sh", "plan check steps.json --json"))
    .action(async (path: string, _, command: Command) =>
      setExitCode(await (await import("./check-plan.ts")).checkPlan(cli, path, command.optsWithGlobals())),
    );
  plan
    .command("run")
    .description("make the calls of a plan one after the other, until one fails")
    .argument("<file>", file)
    .option("--dry-run", "try every step and stop before it is executed")
    .option("--yes", "agree to what the policy would ask about")
    .addHelpText("after", examples("plan run greet.sh --dry-run", "plan run greet.sh"))
    .action(async (path: string, _, command: Command) =>
      setExitCode(await (await import("./run-plan.ts")).runPlan(cli, path, command.optsWithGlobals())),
    );
}

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
    .addHelpText("after", examples("plan approve", "plan approve --first 1", `plan approve --args '2={"text":"hi"}'`))
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
