import type { Command } from "commander";
import { collect, examples, type Run } from "./parts.ts";

const bodies = {
  servers: () => import("../commands/servers.ts"),
  login: () => import("../commands/login.ts"),
  offers: () => import("../commands/offers.ts"),
};

/** The servers behind the plane. */
export function addServerCommands(program: Command, run: Run): void {
  const servers = program.command("servers").description("the MCP servers behind the plane");
  servers
    .command("list")
    .description("state, tools and last error of every server")
    .addHelpText("after", examples("servers list", "servers list --json"))
    .action(run(bodies.servers, "listServers"));
  addOneServerCommands(servers, run);
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
    .action(run(bodies.servers, "addServer"));
  servers
    .command("remove")
    .description("take a server out of the configuration")
    .argument("<name>")
    .option("--to <file>", "the file to change; default: the one that defines it")
    .addHelpText("after", examples("servers remove files"))
    .action(run(bodies.servers, "removeServer"));
}

function addOneServerCommands(servers: Command, run: Run): void {
  servers
    .command("show")
    .description("one server: state, protocol, process, what it lists and what is wrong")
    .argument("<name>")
    .addHelpText("after", examples("servers show demo"))
    .action(run(bodies.servers, "showServer"));
  servers
    .command("ping")
    .description("ask a server whether it is there")
    .argument("<name>")
    .addHelpText("after", examples("servers ping demo"))
    .action(run(bodies.servers, "pingServer"));
  servers
    .command("connect")
    .description("connect a server and keep it connected")
    .argument("<name>")
    .addHelpText("after", examples("servers connect demo"))
    .action(run(bodies.servers, "connectServer"));
  servers
    .command("disconnect")
    .description("end a server's sessions; it stays away until it is connected again")
    .argument("<name>")
    .addHelpText("after", examples("servers disconnect demo"))
    .action(run(bodies.servers, "disconnectServer"));
  servers
    .command("refresh")
    .description("really ask a server, or all of them, for its tools again")
    .argument("[name]")
    .addHelpText("after", examples("servers refresh", "servers refresh demo --json"))
    .action(run(bodies.servers, "refreshServers"));
  servers
    .command("reconnect")
    .description("try the servers that are down; those that back off only with --force")
    .argument("[name]")
    .option("--force", "also those that back off", false)
    .addHelpText("after", examples("servers reconnect", "servers reconnect --force --json"))
    .action(run(bodies.servers, "refreshServers"));
  servers
    .command("logs")
    .description("the last things a server wrote to standard error or logged")
    .argument("<name>")
    .addHelpText("after", examples("servers logs demo"))
    .action(run(bodies.servers, "showLogs"));
  servers
    .command("login")
    .description("sign in to a server, or give it your token on standard input")
    .argument("<name>")
    .option("--token", "take a token instead of signing in with the browser")
    .option("--no-browser", "only print the address to sign in at")
    .addHelpText("after", examples("servers login tracker", "servers login tracker --token < token.txt"))
    .action(run(bodies.login, "login"));
  servers
    .command("logout")
    .description("forget the token or sign-in that is kept for you")
    .argument("<name>")
    .addHelpText("after", examples("servers logout tracker"))
    .action(run(bodies.login, "logout"));
  servers
    .command("tokens")
    .description("which servers a token or sign-in is kept for, and until when")
    .addHelpText("after", examples("servers tokens"))
    .action(run(bodies.login, "listTokens"));
  servers
    .command("tools")
    .description("the names of one server's tools")
    .argument("<name>")
    .addHelpText("after", examples("servers tools demo"))
    .action(run(bodies.servers, "listServerTools"));
}

/** What servers offer beside their tools: `prompts`, `resources`. */
export function addOfferCommands(program: Command, run: Run): void {
  const prompts = program.command("prompts").description("the prompts that servers offer");
  prompts
    .command("list")
    .description("every prompt")
    .option("--server <name>", "only those of this server")
    .addHelpText("after", examples("prompts list"))
    .action(run(bodies.offers, "listPrompts"));
  prompts
    .command("get")
    .description("one prompt, filled in")
    .argument("<server>")
    .argument("<name>")
    .argument("[values...]", "key=text")
    .addHelpText("after", examples("prompts get everything args-prompt city=Bern"))
    .action(run(bodies.offers, "getPrompt"));
  const resources = program.command("resources").description("the resources that servers offer");
  resources
    .command("list")
    .description("every resource and every template of one")
    .option("--server <name>", "only those of this server")
    .addHelpText("after", examples("resources list --server everything"))
    .action(run(bodies.offers, "listResources"));
  resources
    .command("read")
    .description("one resource")
    .argument("<server>")
    .argument("<uri>")
    .addHelpText("after", examples("resources read everything demo://resource/static/document/features.md"))
    .action(run(bodies.offers, "readResource"));
}
