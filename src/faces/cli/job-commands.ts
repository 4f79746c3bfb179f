import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { examples, type SetExitCode, withWorkFilters } from "./command-parts.ts";

/** Tasks in an order, once or again and again: `jobs`. */
export function addJobCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  const jobs = program.command("jobs").description("tasks in an order, for some personas");
  withWorkFilters(jobs.command("list"))
    .description("every job that is there for you, or for the personas that are meant, and when it is due")
    .addHelpText("after", examples("jobs list", "jobs list --persona Atlas --json"))
    .action(async (_, command: Command) => (await import("./jobs.ts")).listJobs(cli, command.optsWithGlobals()));
  addRunCommands(jobs, cli, setExitCode);
  const verbs = () => import("./job-runs.ts");
  jobs
    .command("show")
    .description("one job: its tasks, when it is due and how it does")
    .argument("<name>", "its name")
    .addHelpText("after", examples("jobs show digest"))
    .action(async (name: string, _, command: Command) => (await verbs()).showJob(cli, name, command.optsWithGlobals()));
  for (const [verb, what] of [
    ["pause", "do not begin it by the clock any more"],
    ["resume", "begin it by the clock again; times that passed are not made up for"],
  ] as const)
    jobs
      .command(verb)
      .description(what)
      .argument("<name>", "its name")
      .addHelpText("after", examples(`jobs ${verb} digest`))
      .action(async (name: string, _, command: Command) =>
        (await verbs()).switchJob(cli, name, verb, command.optsWithGlobals()),
      );
  jobs
    .command("history")
    .description("its runs, newest first")
    .argument("<name>", "its name")
    .option("--state <state>", "only those: scheduled, running, succeeded, failed or cancelled")
    .option("--limit <number>", "so many at most, up to 100; 20 when left out")
    .option("--cursor <text>", "go on where an earlier page ended")
    .addHelpText("after", examples("jobs history digest", "jobs history digest --state failed --json"))
    .action(async (name: string, _, command: Command) =>
      (await verbs()).listHistory(cli, name, command.optsWithGlobals()),
    );
}

function addRunCommands(jobs: Command, cli: Cli, setExitCode: SetExitCode): void {
  const verbs = () => import("./job-runs.ts");
  const withRunOptions = (command: Command) =>
    command
      .option("--detach", "do not wait until it is over; needs a plane that serves")
      .option("--key <text>", "asking twice with one key is asking once");
  withRunOptions(jobs.command("run"))
    .description("begin it now, and wait until it is over")
    .argument("<name>", "its name")
    .argument("[input...]", "key=text or key:=json")
    .option("--args <json>", "the input as JSON, @file or - for standard input")
    .addHelpText("after", examples("jobs run digest", "jobs run digest city=Rome --detach"))
    .action(async (name: string, values: string[], _, command: Command) =>
      setExitCode(await (await verbs()).runJob(cli, name, values, command.optsWithGlobals())),
    );
  withRunOptions(jobs.command("rerun"))
    .description("begin another run with the input of one that is over")
    .argument("<run>", "the id of the run")
    .addHelpText("after", examples("jobs rerun 0mwhyf64f-3lz9cvxd00w24d5n"))
    .action(async (run: string, _, command: Command) =>
      setExitCode(await (await verbs()).rerunJob(cli, run, command.optsWithGlobals())),
    );
  jobs
    .command("status")
    .description("one run: its tasks, their steps and how they went")
    .argument("<run>", "the id of the run")
    .addHelpText("after", examples("jobs status 0mwhyf64f-3lz9cvxd00w24d5n"))
    .action(async (run: string, _, command: Command) => (await verbs()).showRun(cli, run, command.optsWithGlobals()));
  jobs
    .command("cancel")
    .description("end a run, or keep it from beginning")
    .argument("<run>", "the id of the run")
    .addHelpText("after", examples("jobs cancel 0mwhyf64f-3lz9cvxd00w24d5n"))
    .action(async (run: string, _, command: Command) => (await verbs()).cancelRun(cli, run, command.optsWithGlobals()));
}
