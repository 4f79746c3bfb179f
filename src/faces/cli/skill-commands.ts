import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { collect, examples } from "./command-parts.ts";

const personaHelp = "of this persona and shared; -shared leaves those out; repeatable";

/** What manifests describe beside tools: `skills`, `jobs`. */
export function addSkillCommands(program: Command, cli: Cli): void {
  const skills = program.command("skills").description("instructions with the tools they need");
  skills
    .command("list")
    .description("every skill that is there for you, or those that are meant")
    .option("--persona-filter <name>", personaHelp, collect)
    .option("--capability <tag>", "tagged with it or in need of it; repeatable, all are needed", collect)
    .option("--query <words>", "whose name, summary, category, tags or instructions contain these words")
    .option("--limit <number>", "so many at most, up to 1000")
    .option("--cursor <text>", "go on where an earlier page ended")
    .addHelpText("after", examples("skills list", "skills list --capability research --json"))
    .action(async (_, command: Command) =>
      (await import("./skills.ts")).listSkills(cli, command.optsWithGlobals()),
    );
  skills
    .command("show")
    .description("one skill: instructions, what it needs, and what of that is missing")
    .argument("<name>", "its name")
    .addHelpText("after", examples("skills show research"))
    .action(async (name: string, _, command: Command) =>
      (await import("./skills.ts")).showSkill(cli, name, command.optsWithGlobals()),
    );
  program
    .command("jobs")
    .description("tasks in an order, for some personas")
    .command("list")
    .description("every job that is there for you, or for the personas that are meant")
    .option("--persona-filter <name>", personaHelp, collect)
    .addHelpText("after", examples("jobs list", "jobs list --persona Atlas --json"))
    .action(async (_, command: Command) =>
      (await import("./jobs.ts")).listJobs(cli, command.optsWithGlobals()),
    );
}
