import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { collect, examples } from "./command-parts.ts";

/** What is there: `tools`, `registry`. */
export function addToolCommands(program: Command, cli: Cli): void {
  const tools = program.command("tools").description("the catalogue");
  addFilters(tools.command("list").description("every tool you may call, or those that are meant"))
    .addHelpText(
      "after",
      examples(
        "tools list --server demo",
        "tools list --capability web_search --min-success-rate 80%",
        "tools list --version-range '^1.2' --side-effects none --json",
      ),
    )
    .action(async (_, command: Command) => (await import("./tools.ts")).listTools(cli, command.optsWithGlobals()));
  tools
    .command("show")
    .description("one tool: arguments, metadata, providers, health")
    .argument("<name>", "any spelling: server.tool, server_tool, mcp__server__tool, or the bare name if it is unique")
    .addHelpText("after", examples("tools show demo.greet"))
    .action(async (name: string, _, command: Command) =>
      (await import("./tools.ts")).showTool(cli, name, command.optsWithGlobals()),
    );
  tools
    .command("export")
    .description("what you may call, as a model's API takes it; JSON on standard output")
    .requiredOption("--format <name>", "openai, anthropic, mcp, ai-sdk, json-schema or openai-responses")
    .option("--server <name>", "only the tools of this server")
    .option("--tool <name>", "only this tool, in any spelling; repeatable", collect)
    .option("--defer", "for models that search for tools themselves: anthropic, openai-responses")
    .addHelpText(
      "after",
      examples(
        "tools export --format openai",
        "tools export --format anthropic --server demo > tools.json",
        "tools export --format anthropic --defer",
      ),
    )
    .action(async (_, command: Command) =>
      (await import("./tool-export.ts")).exportTools(cli, command.optsWithGlobals()),
    );
  program
    .command("registry")
    .description("the registry as a whole")
    .command("summary")
    .description("what it holds for you, or for the persona you call as, in short")
    .addHelpText("after", examples("registry summary", "registry summary --persona Atlas --json"))
    .action(async (_, command: Command) => (await import("./registry.ts")).showSummary(cli, command.optsWithGlobals()));
}

function addFilters(command: Command): Command {
  return command
    .option("--server <name>", "only the tools of this server")
    .option("--persona-filter <name>", "of this persona and shared; -shared leaves those out; repeatable", collect)
    .option("--provider <name>", "executed by this kind of provider; repeatable, all are needed", collect)
    .option("--capability <tag>", "with this capability; repeatable, all are needed", collect)
    .option("--version-range <range>", "of these versions: ^1.2, '>=1.2, <2', 1.x")
    .option("--side-effects <kind>", "with this side effect; repeatable, one is enough", collect)
    .option("--safety-level <level>", "low, medium or high; repeatable, one is enough", collect)
    .option("--min-success-rate <share>", "that worked so often: 0.8, 80 or 80%")
    .option("--include-unused <flag>", "also those that nobody has called: true or false")
    .option("--tool-group <name>", "of this group of tools; repeatable, * for all, default when left out", collect)
    .option("--state <name>", "that are there in this state")
    .option("--query <words>", "whose name, description or capabilities contain these words")
    .option("--limit <number>", "so many at most, up to 1000")
    .option("--cursor <text>", "go on where an earlier page ended");
}
