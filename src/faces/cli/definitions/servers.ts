import { collect, type Run, type Verb } from "./parts.ts";

const bodies = {
  servers: () => import("../commands/servers.ts"),
  login: () => import("../commands/login.ts"),
  offers: () => import("../commands/offers.ts"),
};

export function addServerCommands(program: Verb, run: Run): void {
  const servers = program.verb("servers", "the MCP servers behind the plane");
  servers
    .verb("list", "state, tools and last error of every server")
    .examples("servers list", "servers list --json")
    .action(run(bodies.servers, "listServers"));
  addOneServerCommands(servers, run);
  servers
    .verb("add", "write a server into the configuration, keeping its comments")
    .argument("<name>")
    .argument("[command...]", "the command and its arguments, after --")
    .option("--url <url>", "a remote server instead of a command")
    .option("--env <NAME=value>", "variable for the command; repeatable", collect)
    .option("--header <Name=value>", "header for the URL; repeatable", collect)
    .option("--to <file>", "the file to write; default: the last configuration file")
    .examples(
      "servers add files -- npx -y @modelcontextprotocol/server-filesystem .",
      "servers add tracker --url https://example.org/mcp --header 'Authorization=Bearer ${TOKEN}'",
    )
    .action(run(bodies.servers, "addServer"));
  servers
    .verb("remove", "take a server out of the configuration")
    .argument("<name>")
    .option("--to <file>", "the file to change; default: the one that defines it")
    .examples("servers remove files")
    .action(run(bodies.servers, "removeServer"));
}

function addOneServerCommands(servers: Verb, run: Run): void {
  servers
    .verb("show", "one server: state, protocol, process, what it lists and what is wrong")
    .argument("<name>")
    .examples("servers show demo")
    .action(run(bodies.servers, "showServer"));
  servers
    .verb("ping", "ask a server whether it is there")
    .argument("<name>")
    .examples("servers ping demo")
    .action(run(bodies.servers, "pingServer"));
  servers
    .verb("connect", "connect a server and keep it connected")
    .argument("<name>")
    .examples("servers connect demo")
    .action(run(bodies.servers, "switchServer", "connect"));
  servers
    .verb("disconnect", "end a server's sessions; it stays away until it is connected again")
    .argument("<name>")
    .examples("servers disconnect demo")
    .action(run(bodies.servers, "switchServer", "disconnect"));
  servers
    .verb("refresh", "really ask a server, or all of them, for its tools again")
    .argument("[name]")
    .examples("servers refresh", "servers refresh demo --json")
    .action(run(bodies.servers, "refreshServers"));
  servers
    .verb("reconnect", "try the servers that are down; those that back off only with --force")
    .argument("[name]")
    .option("--force", "also those that back off", false)
    .examples("servers reconnect", "servers reconnect --force --json")
    .action(run(bodies.servers, "refreshServers"));
  servers
    .verb("logs", "the last things a server wrote to standard error or logged")
    .argument("<name>")
    .examples("servers logs demo")
    .action(run(bodies.servers, "showLogs"));
  servers
    .verb("login", "sign in to a server, or give it your token on standard input")
    .argument("<name>")
    .option("--token", "take a token instead of signing in with the browser")
    .option("--no-browser", "only print the address to sign in at")
    .examples("servers login tracker", "servers login tracker --token < token.txt")
    .action(run(bodies.login, "login"));
  servers
    .verb("logout", "forget the token or sign-in that is kept for you")
    .argument("<name>")
    .examples("servers logout tracker")
    .action(run(bodies.login, "logout"));
  servers
    .verb("tokens", "which servers a token or sign-in is kept for, and until when")
    .examples("servers tokens")
    .action(run(bodies.login, "listTokens"));
  servers
    .verb("tools", "the names of one server's tools")
    .argument("<name>")
    .examples("servers tools demo")
    .action(run(bodies.servers, "listServerTools"));
}

export function addOfferCommands(program: Verb, run: Run): void {
  const prompts = program.verb("prompts", "the prompts that servers offer");
  prompts
    .verb("list", "every prompt")
    .option("--server <name>", "only those of this server")
    .examples("prompts list")
    .action(run(bodies.offers, "listPrompts"));
  prompts
    .verb("get", "one prompt, filled in")
    .argument("<server>")
    .argument("<name>")
    .argument("[values...]", "key=text")
    .examples("prompts get everything args-prompt city=Bern")
    .action(run(bodies.offers, "getPrompt"));
  const resources = program.verb("resources", "the resources that servers offer");
  resources
    .verb("list", "every resource and every template of one")
    .option("--server <name>", "only those of this server")
    .examples("resources list --server everything")
    .action(run(bodies.offers, "listResources"));
  resources
    .verb("read", "one resource")
    .argument("<server>")
    .argument("<uri>")
    .examples("resources read everything demo://resource/static/document/features.md")
    .action(run(bodies.offers, "readResource"));
}
