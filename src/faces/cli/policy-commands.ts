import { type Command, Option } from "commander";
import { policyModes } from "../../model/policy-mode.ts";
import type { Cli } from "./cli.ts";
import { examples } from "./command-parts.ts";

const faces = ["cli", "http", "mcp", "workbench", "library", "agent"];

/** What the policy says. */
export function addPolicyCommands(program: Command, cli: Cli): void {
  program
    .command("policy")
    .description("what may run, what is asked about and what is refused")
    .command("test")
    .description("what the policy says about a call, without making it")
    .argument("<tool>", "the tool, in any spelling")
    .argument("[values...]", "key=value or key:=json")
    .option("--args <json>", "arguments as JSON, @FILE, or - for standard input")
    .addOption(new Option("--face <face>", "as if called through this").choices(faces).default("cli"))
    .addOption(
      new Option("--mode <mode>", "as if in this mode, where it is the stricter").choices(policyModes),
    )
    .addHelpText(
      "after",
      examples("policy test git.push branch=main", "policy test git.push --face mcp --json"),
    )
    .action(async (tool: string, values: string[], _, command: Command) =>
      (await import("./policy-verdict.ts")).testPolicy(cli, tool, values, command.optsWithGlobals()),
    );
}
