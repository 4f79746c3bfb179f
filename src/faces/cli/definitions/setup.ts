import { tapes } from "./verbs.ts";

/** Servers, the plane that serves, and how it is configured. */
export const setupVerbs = `
serve: serve the workbench, the HTTP API and MCP; configuration changes apply while it runs
  --host <address> {= 127.0.0.1} address to listen on; ::1 is used where the machine has IPv6 only
  --port <number> {port = 7420} port to listen on; 0 for any free one
  --open open the workbench in a browser
  --print-pass print the link with its pass even if standard output is not a terminal
  --allow-host <name> {hosts} a host name that clients use, behind a load balancer; repeatable. Every request then needs a credential
  --drain-seconds <number> {drain = 0} shutdown grace period: requests are still answered while /readyz is 503
  --background listen on no port; 'mcp' starts this when no plane serves its configuration
  --idle-exit <ms> {ms = 600000} with --background, exit this long after the last client leaves
${tapes}
  > serve.serve $ serve $ serve --open $ serve --port 0 --config .mcp.json
mcp: run the gateway on stdio, for clients that spawn a command
  --mode <name> {full|lazy|code} full: every tool; lazy: tools on demand; code: programs; default: 'lazy.mode'
  --names <kind> {prefixed|bare} tool names with or without the server's prefix
  --toolset <name> only the servers and tools of this toolset
  --server <name> only this server
${tapes}
  > serving.serveMcp $ mcp $ mcp --config .mcp.json $ mcp --mode lazy --toolset small $ mcp --replay calls.jsonl
stop: stop the background plane of this configuration
  > serving.stopBackground $ stop $ stop --config .mcp.json
demo: run a small MCP server on stdio, to try things out
  > bundled.demo $ servers add demo -- toolplane demo
planner: run an MCP server on stdio that plans tasks with the tools of its host
  > bundled.planner $ servers add planner -- toolplane planner
add <what...>: add a server by command, URL, package, image or pasted JSON; it is tried first
  <what...> a command line, a package, docker:IMAGE, a URL, an OpenAPI or .mcpb file, io.github.owner/server, or pasted JSON
  --name <name> its name; made from what is added when left out
  --global write your own configuration file; same as --user
  --project write this project's file
  --dry-run show what would be written; start and write nothing
  --force write it even if it does not answer
  --env <NAME=value> {list} variable for it; repeatable. A secret is not written, only its name
  --header <Name=value> {list} header for a URL; repeatable
  --set <key=value> {list} answer to a question of the server; repeatable
  --via <kind> {npm|pypi|oci|mcpb|nuget|remote} which package or remote of a registry entry to use
  > add.add $ add npx -y @modelcontextprotocol/server-filesystem . $ add https://example.org/mcp --name tracker
  $ add petstore.yaml $ add io.github.owner/server --dry-run $ add docker:example/server:1.2
servers: the MCP servers behind the plane
  $ servers list $ servers add files -- npx -y @modelcontextprotocol/server-filesystem .
servers list: state, tools and last error of every server
  > servers.listServers $ servers list $ servers list --json
servers show <name>: one server: state, protocol, process, what it lists and what is wrong
  > servers.showServer $ servers show demo
servers ping <name>: check that a server responds
  > servers.pingServer $ servers ping demo
servers connect <name>: connect a server and keep it connected
  > servers.switchServer connect $ servers connect demo
servers disconnect <name>: end a server's sessions; it stays disconnected until you connect it
  > servers.switchServer disconnect $ servers disconnect demo
servers refresh [name]: list the tools of a server, or of all servers, again
  > servers.refreshServers $ servers refresh $ servers refresh demo --json
servers reconnect [name]: reconnect the servers that are down; those in backoff only with --force
  --force {= false} also servers in backoff
  > servers.refreshServers $ servers reconnect $ servers reconnect --force --json
servers logs <name>: the latest lines that a server wrote to standard error or logged
  > servers.showLogs $ servers logs demo
servers record <name>: record the JSON-RPC messages of a server, in the serving plane
  --off stop recording
  > servers.recordMessages $ servers record demo $ servers record demo --off
servers messages <name>: recorded JSON-RPC messages of a server; without a serving plane, those of connecting to it
  --limit <count> how many of the latest; 100 by default
  --after <number> only those with a higher number
  --follow record and print new ones, until Ctrl-C
  > servers.showMessages $ servers messages demo $ servers messages demo --follow --json
servers login <name>: sign in to a server, or give it your token on standard input
  --token take a token instead of signing in with the browser
  --no-browser only print the address to sign in at
  > servers.login $ servers login tracker $ servers login tracker --token < token.txt
servers logout <name>: forget the token or sign-in that is kept for you
  > servers.logout $ servers logout tracker
servers tokens: which servers a token or sign-in is kept for, and until when
  > servers.listTokens $ servers tokens
servers tools <name>: the names of one server's tools
  > servers.listServerTools $ servers tools demo
servers add <name> [command...]: write a server into the configuration, keeping its comments
  [command...] the command and its arguments, after --
  --url <url> a remote server instead of a command
  --openapi <file-or-url> an API by its OpenAPI document instead of a command
  --env <NAME=value> {list} variable for the command; repeatable
  --header <Name=value> {list} header for the URL; repeatable
  --to <file> the file to write; default: the last configuration file
  > edit-servers.addServer $ servers add files -- npx -y @modelcontextprotocol/server-filesystem .
  $ servers add tracker --url https://example.org/mcp --header 'Authorization=Bearer \${TOKEN}'
servers search <query>: search the MCP registries
  <query> a part of the name
  --limit <number> {limit} maximum number of servers, 1 to 100
  > add.searchServers $ servers search github $ servers search files --json
servers update [name]: newer versions in the registries, and what would change
  --yes write the newer versions
  > add.updateServers $ servers update $ servers update files --yes
servers wizard: add, change and delete servers and toolsets, question by question
  > wizard.runWizard $ servers wizard $ servers wizard --config team.json
servers edit <name> <changes...>: change a server where it is written
  <changes...> key=value, key:=json, key= to remove it; env.NAME=value sets a nested one
  > edit-servers.editServer $ servers edit files timeoutMs=5000 env.LEVEL=debug $ servers edit files 'args:=["-y","x"]' cwd=
servers remove <name>: remove a server from the configuration
  --to <file> the file to change; default: the one that defines it
  > edit-servers.removeServer $ servers remove files
prompts: the prompts that servers offer
  $ prompts list $ prompts get everything args-prompt city=Bern
prompts list: every prompt
  --server <name> only those of this server
  > servers.listPrompts $ prompts list
prompts get <server> <name> [values...]: one prompt, filled in
  [values...] key=text
  > servers.getPrompt $ prompts get everything args-prompt city=Bern
resources: the resources that servers offer
  $ resources list --server everything $ resources read everything demo://resource/static/document/features.md
resources list: every resource and resource template
  --server <name> only those of this server
  > servers.listResources $ resources list --server everything
resources read <server> <uri>: one resource
  > servers.readResource $ resources read everything demo://resource/static/document/features.md
keys: API keys for people and programs that call over HTTP
  $ keys create ci --group ops --expires 30d $ keys list
keys create <name>: create a key for --user, --group, --persona and --workspace; it is shown once
  <name> what it is for
  --key-persona <name> calls with this key use this persona
  --scope <scope> {list} read, call, admin or *; repeatable, call when left out
  --tool-group <name> {list} a tool group it may use; repeatable, * for all
  --expires <time> {moment} 12h, 30d, 1y or a date; never when left out
  > keys.createKey $ keys create laptop $ keys create ci --user build@example.org --group ops --expires 30d
  $ keys create dashboard --scope read --json
keys list: every key, whose it is and when it was last used
  > keys.listKeys $ keys list $ keys list --json
keys revoke <id>: revoke a key
  <id> as 'keys list' shows it
  --forget delete its record, too
  > keys.revokeKey $ keys revoke 3f9a01c2de
state: export and import all stored data
  $ state export state.jsonl $ state import state.jsonl --dry-run --store postgres://db.example/tools
state export [file]: write the whole state as lines of JSON, to a file or to standard output
  [file] standard output when left out or -
  > state.exportState $ state export state.jsonl $ state export | gzip > state.jsonl.gz
state import <file>: import an export into an empty store
  --dry-run check the file and the store, and change nothing
  > state.importState $ state import state.jsonl --store postgres://… $ state import state.jsonl --dry-run
init: write a starter configuration; asks on a terminal
  --force replace an existing file
  --to <file> {= toolplane.json} the file to write
  --yes ask nothing
  > clients.init $ init $ init --yes --to .mcp.json
import [client...]: import the servers of other MCP clients, or those in a file of mcporter, mcp-hub, MetaMCP, LiteLLM or Docker
  [client...] clients, files, or a command line of supergateway; all clients if none is named
  --dry-run show what would be imported
  --to <file> the file to write; default: toolplane.json
  > clients.importClients $ import --dry-run $ import cursor vscode $ import config/mcporter.json
connect [client]: move a client's servers into Toolplane and make Toolplane the client's server; keeps a backup
  [client] without one, lists the clients
  --keep leave the client's servers where they are
  --project write the client's file of this project
  --global write the client's file for all projects
  --dry-run show what would be changed
  --to <file> the configuration that takes the servers
  --yes ask nothing; without a terminal nothing is asked anyway
  > clients.connectClient $ connect $ connect cursor --dry-run $ connect claude-code --project
disconnect <client>: give a client its servers back and remove Toolplane; your later changes stay
  --remove remove the moved servers from Toolplane's configuration, too
  --project the client's file of this project
  --global the client's file for all projects
  > clients.disconnectClient $ disconnect claude-code $ disconnect cursor --remove
doctor [server]: diagnose a server, or all of them, and say what to try first
  > servers.runDoctor $ doctor $ doctor filesystem --json
trust [directory]: show what a project's files start and refer to, and say whether you trust it
  [directory] where the files are; here when left out
  --yes trust all of it without a question
  --list list every project you have answered for
  --revoke forget your answers for this project
  > trust.trust $ trust $ trust ~/src/project --yes $ trust --list --json $ trust --revoke
explain [code]: explain an error code: what happened and what to do
  [code] the code behind a message, such as TIMEOUT; all codes when left out
  > explain.explainError $ explain $ explain TIMEOUT $ explain PLAN_QUEUED --json
completion <shell>: print the completion script for your shell
  <shell> bash, zsh, fish or powershell
  > completion.printScript $ completion bash >> ~/.bashrc $ completion fish
config: show, check and explain the configuration
  $ config validate $ config explain filesystem.timeoutMs
config validate: all problems of all files; exit code 1 when there are errors
  --strict warnings count as errors
  > config.validateConfig $ config validate $ config validate --config .mcp.json --json
config show: the configuration in effect, with secrets masked
  > config.showConfig $ config show
config explain <key>: a value with the file and line it comes from
  <key> for example filesystem.timeoutMs, or filesystem for all of it
  > config.explainConfig $ config explain filesystem $ config explain policy.profile
config schema: the JSON Schema of the native configuration
  > config.printSchema $ config schema > toolplane.schema.json
`;
