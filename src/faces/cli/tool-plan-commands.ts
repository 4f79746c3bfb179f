import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { examples, type SetExitCode, toSeconds } from "./command-parts.ts";

const file = "a script of 'toolplane call' lines, or its steps as JSON; - for standard input";

/** Plans that are made of calls: made by a planner or by hand, looked at, run. */
export function addToolPlanCommands(plan: Command, cli: Cli, setExitCode: SetExitCode): void {
  plan
    .command("make")
    .description("have a task planned with the tools there are; prints a script and calls nothing")
    .argument("<task>", "what is to be done, in plain words; - for standard input")
    .option("--out <file>", "write the script into this file")
    .option("--force", "overwrite a file that is there already")
    .option("--planner <tool>", "the tool that plans", "planner.plan_with_tools")
    .option("--timeout <seconds>", "how long the planner may take; 0 for no limit", toSeconds, 300)
    .addHelpText(
      "after",
      examples("plan make 'greet Ann and Bob'", "plan make 'greet Ann and Bob' --out greet.sh"),
    )
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
