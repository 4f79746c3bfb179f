import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { collect, examples, type SetExitCode } from "./parts.ts";

/** The servers behind the plane. */
export function addServerCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  const servers = program.command("servers").description("the MCP servers behind the plane");
  servers
    .command("list")
    .description("state, tools and last error of every server")
    .addHelpText("after", examples("servers list", "servers list --json"))
    .action(async (_, command: Command) =>
      (await import("../commands/servers.ts")).listServers(cli, command.optsWithGlobals()),
    );
  addOneServerCommands(servers, cli, setExitCode);
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
      (await import("../commands/servers.ts")).addServer(cli, name, args, command.optsWithGlobals()),
    );
  servers
    .command("remove")
    .description("take a server out of the configuration")
    .argument("<name>")
    .option("--to <file>", "the file to change; default: the one that defines it")
    .addHelpText("after", examples("servers remove files"))
    .action(async (name: string, _, command: Command) =>
      (await import("../commands/servers.ts")).removeServer(cli, name, command.optsWithGlobals()),
    );
}

function addOneServerCommands(servers: Command, cli: Cli, setExitCode: SetExitCode): void {
  const verbs = () => import("../commands/servers.ts");
  servers
    .command("show")
    .description("one server: state, protocol, process, what it lists and what is wrong")
    .argument("<name>")
    .addHelpText("after", examples("servers show demo"))
    .action(async (name: string, _, command: Command) =>
      (await verbs()).showServer(cli, name, command.optsWithGlobals()),
    );
  servers
    .command("ping")
    .description("ask a server whether it is there")
    .argument("<name>")
    .addHelpText("after", examples("servers ping demo"))
    .action(async (name: string, _, command: Command) =>
      (await verbs()).pingServer(cli, name, command.optsWithGlobals()),
    );
  servers
    .command("connect")
    .description("connect a server and keep it connected")
    .argument("<name>")
    .addHelpText("after", examples("servers connect demo"))
    .action(async (name: string, _, command: Command) =>
      (await verbs()).connectServer(cli, name, command.optsWithGlobals()),
    );
  servers
    .command("disconnect")
    .description("end a server's sessions; it stays away until it is connected again")
    .argument("<name>")
    .addHelpText("after", examples("servers disconnect demo"))
    .action(async (name: string, _, command: Command) =>
      (await verbs()).disconnectServer(cli, name, command.optsWithGlobals()),
    );
  servers
    .command("refresh")
    .description("really ask a server, or all of them, for its tools again")
    .argument("[name]")
    .addHelpText("after", examples("servers refresh", "servers refresh demo --json"))
    .action(async (name: string | undefined, _, command: Command) =>
      setExitCode(await (await verbs()).refreshServers(cli, name, command.optsWithGlobals())),
    );
  servers
    .command("reconnect")
    .description("try the servers that are down; those that back off only with --force")
    .argument("[name]")
    .option("--force", "also those that back off", false)
    .addHelpText("after", examples("servers reconnect", "servers reconnect --force --json"))
    .action(async (name: string | undefined, _, command: Command) =>
      setExitCode(await (await verbs()).refreshServers(cli, name, command.optsWithGlobals())),
    );
  servers
    .command("logs")
    .description("the last things a server wrote to standard error or logged")
    .argument("<name>")
    .addHelpText("after", examples("servers logs demo"))
    .action(async (name: string, _, command: Command) =>
      (await verbs()).showLogs(cli, name, command.optsWithGlobals()),
    );
  const loginVerbs = () => import("../commands/login.ts");
  servers
    .command("login")
    .description("sign in to a server, or give it your token on standard input")
    .argument("<name>")
    .option("--token", "take a token instead of signing in with the browser")
    .option("--no-browser", "only print the address to sign in at")
    .addHelpText("after", examples("servers login tracker", "servers login tracker --token < token.txt"))
    .action(async (name: string, _, command: Command) =>
      (await loginVerbs()).login(cli, name, command.optsWithGlobals()),
    );
  servers
    .command("logout")
    .description("forget the token or sign-in that is kept for you")
    .argument("<name>")
    .addHelpText("after", examples("servers logout tracker"))
    .action(async (name: string, _, command: Command) =>
      (await loginVerbs()).logout(cli, name, command.optsWithGlobals()),
    );
  servers
    .command("tokens")
    .description("which servers a token or sign-in is kept for, and until when")
    .addHelpText("after", examples("servers tokens"))
    .action(async (_, command: Command) => (await loginVerbs()).listTokens(cli, command.optsWithGlobals()));
  servers
    .command("tools")
    .description("the names of one server's tools")
    .argument("<name>")
    .addHelpText("after", examples("servers tools demo"))
    .action(async (name: string, _, command: Command) =>
      (await verbs()).listServerTools(cli, name, command.optsWithGlobals()),
    );
}

/** What servers offer beside their tools: `prompts`, `resources`. */
export function addOfferCommands(program: Command, cli: Cli): void {
  const offers = () => import("../commands/offers.ts");
  const prompts = program.command("prompts").description("the prompts that servers offer");
  prompts
    .command("list")
    .description("every prompt")
    .option("--server <name>", "only those of this server")
    .addHelpText("after", examples("prompts list"))
    .action(async (_, command: Command) => (await offers()).listPrompts(cli, command.optsWithGlobals()));
  prompts
    .command("get")
    .description("one prompt, filled in")
    .argument("<server>")
    .argument("<name>")
    .argument("[values...]", "key=text")
    .addHelpText("after", examples("prompts get everything args-prompt city=Bern"))
    .action(async (server: string, name: string, values: string[], _, command: Command) =>
      (await offers()).getPrompt(cli, server, name, values, command.optsWithGlobals()),
    );
  const resources = program.command("resources").description("the resources that servers offer");
  resources
    .command("list")
    .description("every resource and every template of one")
    .option("--server <name>", "only those of this server")
    .addHelpText("after", examples("resources list --server everything"))
    .action(async (_, command: Command) => (await offers()).listResources(cli, command.optsWithGlobals()));
  resources
    .command("read")
    .description("one resource")
    .argument("<server>")
    .argument("<uri>")
    .addHelpText("after", examples("resources read everything demo://resource/static/document/features.md"))
    .action(async (server: string, uri: string, _, command: Command) =>
      (await offers()).readResource(cli, server, uri, command.optsWithGlobals()),
    );
}
