import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { examples, withWorkFilters } from "./command-parts.ts";

/** What jobs are made of: `tasks`. */
export function addTaskCommands(program: Command, cli: Cli): void {
  const tasks = program.command("tasks").description("pieces of work, and when each counts as done");
  withWorkFilters(tasks.command("list"))
    .description("every task that is there for you, or for the personas that are meant")
    .addHelpText("after", examples("tasks list", "tasks list --query report --json"))
    .action(async (_, command: Command) =>
      (await import("./tasks.ts")).listTasks(cli, command.optsWithGlobals()),
    );
  tasks
    .command("show")
    .description("one task: its skills, what it needs and when it is done")
    .argument("<name>", "its name")
    .addHelpText("after", examples("tasks show gather"))
    .action(async (name: string, _, command: Command) =>
      (await import("./tasks.ts")).showTask(cli, name, command.optsWithGlobals()),
    );
}
