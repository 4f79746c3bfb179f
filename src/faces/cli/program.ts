import { Command, InvalidArgumentError } from "commander";
import { version } from "../../lib/version.ts";
import type { Cli } from "./cli.ts";

const collect = (value: string, before: string[] = []) => [...before, value];

export type SetExitCode = (code: number) => void;

/** The verbs. Each one's work is loaded when it is called, so that help and short commands stay quick. */
export function createProgram(cli: Cli, setExitCode: SetExitCode, writeErr: (text: string) => void): Command {
  const output = { writeErr, outputError: () => undefined };
  const program = new Command("toolplane")
    .description("Every MCP server in one catalogue, every call on one path.")
    .version(version)
    .option("--config <file>", "configuration file; repeatable, later ones win", collect)
    .option("--json", "print exactly one JSON document")
    .option("--user <name>", "call as this user")
    .option("--group <name>", "call as a member of this group; repeatable", collect)
    .option("--persona <name>", "call as this persona")
    .option("--data-dir <directory>", "where state is kept")
    .addHelpText("after", examples("tools list", "call demo.greet name=Ann", "serve --port 7420"))
    .showSuggestionAfterError();

  const servers = program.command("servers").description("the MCP servers behind the plane");
  servers
    .command("list")
    .description("state, tools and last error of every server")
    .addHelpText("after", examples("servers list", "servers list --json"))
    .action(async (_, command: Command) =>
      (await import("./servers.ts")).listServers(cli, command.optsWithGlobals()),
    );

  const tools = program.command("tools").description("the catalogue");
  tools
    .command("list")
    .description("every tool you may call")
    .option("--server <name>", "only the tools of this server")
    .addHelpText("after", examples("tools list --server demo", "tools list --json"))
    .action(async (_, command: Command) =>
      (await import("./tools.ts")).listTools(cli, command.optsWithGlobals()),
    );
  tools
    .command("show")
    .description("one tool: arguments, metadata, providers, health")
    .argument(
      "<name>",
      "any spelling: server.tool, server_tool, mcp__server__tool, or the bare name if it is unique",
    )
    .addHelpText("after", examples("tools show demo.greet"))
    .action(async (name: string, _, command: Command) =>
      (await import("./tools.ts")).showTool(cli, name, command.optsWithGlobals()),
    );

  program
    .command("call")
    .description("one call along the path")
    .argument("<tool>", "the tool, in any spelling")
    .argument("[values...]", "key=text or key:=json")
    .option("--args <json>", "arguments as JSON, @FILE, or - for standard input")
    .option("--timeout <seconds>", "limit of this call; 0 for none", toSeconds)
    .option("--yes", "agree to what the policy would ask about")
    .option("--dry-run", "stop before anything is executed")
    .addHelpText(
      "after",
      examples(
        "call demo.greet name=Ann",
        "call demo.add a:=1 b:=2",
        `call demo.greet --args '{"name":"Ann"}' --json`,
      ),
    )
    .action(async (tool: string, values: string[], _, command: Command) =>
      setExitCode(await (await import("./call.ts")).callTool(cli, tool, values, command.optsWithGlobals())),
    );

  program
    .command("serve")
    .description("serve the HTTP API")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 for any free one", toPort, 7420)
    .addHelpText("after", examples("serve", "serve --port 0 --config .mcp.json"))
    .action(async (_, command: Command) =>
      setExitCode(await (await import("./serve.ts")).serve(cli, command.optsWithGlobals())),
    );

  program
    .command("demo")
    .description("be a small MCP server on stdio, to try things on")
    .action(() => cli.runDemoServer());

  for (const command of [
    program,
    servers,
    tools,
    ...program.commands,
    ...servers.commands,
    ...tools.commands,
  ]) {
    command.exitOverride().configureOutput(output);
  }
  return program;
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ toolplane ${line}`).join("\n")}\n`;
}

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !Number.isFinite(seconds) || seconds < 0) {
    throw new InvalidArgumentError("Give a number of seconds, 0 for no limit.");
  }
  return seconds;
}

function toPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || text.trim() === "") {
    throw new InvalidArgumentError("Give a port between 0 and 65535.");
  }
  return port;
}
