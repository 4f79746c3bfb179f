import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { collect, examples, type SetExitCode } from "./command-parts.ts";

const personaHelp = "of this persona and shared; -shared leaves those out; repeatable";

/** Instructions, and the tools they need: `skills`. */
export function addSkillCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
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
    .action(async (_, command: Command) => (await import("./skills.ts")).listSkills(cli, command.optsWithGlobals()));
  skills
    .command("show")
    .description("one skill: instructions, what it needs, and what of that is missing")
    .argument("<name>", "its name")
    .addHelpText("after", examples("skills show research"))
    .action(async (name: string, _, command: Command) =>
      (await import("./skills.ts")).showSkill(cli, name, command.optsWithGlobals()),
    );
  skills
    .command("run")
    .description("look whether everything is there, then do what it says")
    .argument("<name>", "its name")
    .argument("[input...]", "key=text or key:=json")
    .option("--args <json>", "the input as JSON, @file or - for standard input")
    .option("--yes", "yes to what the policy would ask")
    .option("--dry-run", "say what would be done, or why it cannot be")
    .option("--model <name>", "the model that follows instructions without steps")
    .option("--conversation <id>", "a conversation that goes on")
    .addHelpText("after", examples("skills run report city=Rome", "skills run report --dry-run"))
    .action(async (name: string, values: string[], _, command: Command) =>
      setExitCode(await (await import("./skill-run.ts")).runSkill(cli, name, values, command.optsWithGlobals())),
    );
}
