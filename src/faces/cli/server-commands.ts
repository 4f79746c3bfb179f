import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { collect, examples } from "./command-parts.ts";

/** The servers behind the plane: `servers list|add|remove`. */
export function addServerCommands(program: Command, cli: Cli): void {
  const servers = program.command("servers").description("the MCP servers behind the plane");
  servers
    .command("list")
    .description("state, tools and last error of every server")
    .addHelpText("after", examples("servers list", "servers list --json"))
    .action(async (_, command: Command) =>
      (await import("./servers.ts")).listServers(cli, command.optsWithGlobals()),
    );
  servers
    .command("add")
    .description("write a server into the configuration, keeping its comments")
    .argument("<name>")
    .argument("[command...]", "the command and its arguments, after --")
    .option("--url <url>", "a remote server instead of a command")
    .option("--env <NAME=value>", "variable for the command; repeatable", collect)
    .option("--header <Name=value>", "header for the URL; repeatable", collect)
    .option("--to <file>", "the file to write; default: the last configuration file")
    .addHelpText(
      "after",
      examples(
        "servers add files -- npx -y @modelcontextprotocol/server-filesystem .",
        "servers add tracker --url https://example.org/mcp --header 'Authorization=Bearer ${TOKEN}'",
      ),
    )
    .action(async (name: string, args: string[], _, command: Command) =>
      (await import("./edit-servers.ts")).addServer(cli, name, args, command.optsWithGlobals()),
    );
  servers
    .command("remove")
    .description("take a server out of the configuration")
    .argument("<name>")
    .option("--to <file>", "the file to change; default: the one that defines it")
    .addHelpText("after", examples("servers remove files"))
    .action(async (name: string, _, command: Command) =>
      (await import("./edit-servers.ts")).removeServer(cli, name, command.optsWithGlobals()),
    );
}
