import { tapes } from "./verbs.ts";

/** Servers, the plane that serves, and how it is configured. */
export const setupVerbs = `
serve: serve the workbench, the HTTP API and MCP; changes of the configuration are applied while it runs
  --host <address> {= 127.0.0.1} address to listen on
  --port <number> {port = 7420} port to listen on; 0 for any free one
  --open open the workbench in a browser
  --print-pass print the link with its pass also where standard output is no terminal
  --allow-host <name> {hosts} a name that it is reached by behind a balancer; repeatable, then every request needs a credential
  --drain-seconds <number> {drain = 0} shutdown grace period: requests are still answered while /readyz is 503
  --background listen at no port: what 'mcp' starts where no plane serves its configuration
  --idle-exit <ms> {ms = 600000} in the background, end this long after the last client
${tapes}
  > serve.serve $ serve $ serve --open $ serve --port 0 --config .mcp.json
mcp: run the gateway on stdio, for clients that spawn a command
  --mode <name> {full|lazy|code} full: every tool; lazy: those that are needed; code: programs; else by 'lazy.mode'
  --names <kind> {prefixed|bare} how tools are called
  --toolset <name> only the servers and tools of this toolset
  --server <name> only this server
${tapes}
  > serving.serveMcp $ mcp $ mcp --config .mcp.json $ mcp --mode lazy --toolset small $ mcp --replay calls.jsonl
stop: end the background plane that 'mcp' has started for this configuration
  > serving.stopBackground $ stop $ stop --config .mcp.json
demo: run a small MCP server on stdio, to try things on
  > bundled.demo $ servers add demo -- toolplane demo
planner: run an MCP server on stdio that plans tasks with the tools of its host
  > bundled.planner $ servers add planner -- toolplane planner
add <what...>: add a server from whatever names one; it is tried before it is written
  <what...> a command line, a package, docker:IMAGE, a URL, an OpenAPI or .mcpb file, io.github.owner/server, or pasted JSON
  --name <name> its name; made from what is added when left out
  --global write your own file; --user says the same
  --project write the file of this project
  --dry-run show what would be written; start and write nothing
  --force write it although it does not answer
  --env <NAME=value> {list} variable for it; repeatable. A secret is not written, only its name
  --header <Name=value> {list} header for a URL; repeatable
  --set <key=value> {list} answer to a question of the server; repeatable
  --via <kind> {npm|pypi|oci|mcpb|nuget|remote} which way of a registry's server
  > add.add $ add npx -y @modelcontextprotocol/server-filesystem . $ add https://example.org/mcp --name tracker
  $ add petstore.yaml $ add io.github.owner/server --dry-run $ add docker:example/server:1.2
servers: the MCP servers behind the plane
  $ servers list $ servers add files -- npx -y @modelcontextprotocol/server-filesystem .
servers list: state, tools and last error of every server
  > servers.listServers $ servers list $ servers list --json
servers show <name>: one server: state, protocol, process, what it lists and what is wrong
  > servers.showServer $ servers show demo
servers ping <name>: ask a server whether it is there
  > servers.pingServer $ servers ping demo
servers connect <name>: connect a server and keep it connected
  > servers.switchServer connect $ servers connect demo
servers disconnect <name>: end a server's sessions; it stays away until it is connected again
  > servers.switchServer disconnect $ servers disconnect demo
servers refresh [name]: really ask a server, or all of them, for its tools again
  > servers.refreshServers $ servers refresh $ servers refresh demo --json
servers reconnect [name]: try the servers that are down; those that back off only with --force
  --force {= false} also those that back off
  > servers.refreshServers $ servers reconnect $ servers reconnect --force --json
servers logs <name>: the last things a server wrote to standard error or logged
  > servers.showLogs $ servers logs demo
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
  --limit <number> {limit} at most so many, 1 to 100
  > add.searchServers $ servers search github $ servers search files --json
servers update [name]: what is newer in the registries, and what it would change
  --yes write the newer versions
  > add.updateServers $ servers update $ servers update files --yes
servers wizard: add, change and delete servers and toolsets, question by question
  > wizard.runWizard $ servers wizard $ servers wizard --config team.json
servers edit <name> <changes...>: change a server where it is written
  <changes...> key=value, key:=json, key= to take it away; env.NAME=value reaches inside
  > edit-servers.editServer $ servers edit files timeoutMs=5000 env.LEVEL=debug $ servers edit files 'args:=["-y","x"]' cwd=
servers remove <name>: take a server out of the configuration
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
resources list: every resource and every template of one
  --server <name> only those of this server
  > servers.listResources $ resources list --server everything
resources read <server> <uri>: one resource
  > servers.readResource $ resources read everything demo://resource/static/document/features.md
keys: API keys for people and programs that call over HTTP
  $ keys create ci --group ops --expires 30d $ keys list
keys create <name>: make a key for --user, --group, --persona and --workspace; it is shown once
  <name> what it is for
  --key-persona <name> calls with this key use this persona
  --scope <scope> {list} read, call, admin or *; repeatable, call when left out
  --tool-group <name> {list} a group of tools it may ask for; repeatable, * for all
  --expires <time> {moment} 12h, 30d, 1y or a date; never when left out
  > keys.createKey $ keys create laptop $ keys create ci --user build@example.org --group ops --expires 30d
  $ keys create dashboard --scope read --json
keys list: every key, whose it is and when it was used last
  > keys.listKeys $ keys list $ keys list --json
keys revoke <id>: revoke a key
  <id> as 'keys list' shows it
  --forget take its record away, too
  > keys.revokeKey $ keys revoke 3f9a01c2de
state: take everything that is stored from one store to another
  $ state export state.jsonl $ state import state.jsonl --dry-run --store postgres://db.example/tools
state export [file]: write the whole state as lines of JSON, to a file or to standard output
  [file] standard output when left out or -
  > state.exportState $ state export state.jsonl $ state export | gzip > state.jsonl.gz
state import <file>: take an export into an empty store
  --dry-run check the file and the store, and change nothing
  > state.importState $ state import state.jsonl --store postgres://… $ state import state.jsonl --dry-run
init: write a starter configuration; asks on a terminal
  --force replace a file that is already there
  --to <file> {= toolplane.json} the file to write
  --yes ask nothing
  > clients.init $ init $ init --yes --to .mcp.json
import [client...]: take over the servers of other MCP clients, or those in a file of mcporter, mcp-hub, MetaMCP, LiteLLM or Docker
  [client...] clients, files, or a command line of supergateway; all clients when none is named
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
disconnect <client>: give a client its servers back and take Toolplane out; what you changed since stays
  --remove take the moved servers out of Toolplane's configuration as well
  --project the client's file of this project
  --global the client's file for all projects
  > clients.disconnectClient $ disconnect claude-code $ disconnect cursor --remove
doctor [server]: examine a server, or all of them, and say what to try first
  > servers.runDoctor $ doctor $ doctor filesystem --json
trust [directory]: show what a project's files start and refer to, and say whether you trust it
  [directory] where the files are; here when left out
  --yes trust all of it without a question
  --list every project that was asked about
  --revoke forget what was said about this project
  > trust.trust $ trust $ trust ~/src/project --yes $ trust --list --json $ trust --revoke
explain [code]: explain an error code: what happened and what to do
  [code] the code behind a message, such as TIMEOUT; all codes when left out
  > explain.explainError $ explain $ explain TIMEOUT $ explain PLAN_QUEUED --json
completion <shell>: print what makes your shell complete commands, options and the names of your servers and tools
  <shell> bash, zsh, fish or powershell
  > completion.printScript $ completion bash >> ~/.bashrc $ completion fish
config: the configuration itself
  $ config validate $ config explain filesystem.timeoutMs
config validate: all problems of all files; exit code 1 when there are errors
  --strict warnings count as errors
  > config.validateConfig $ config validate $ config validate --config .mcp.json --json
config show: what was understood, with secrets masked
  > config.showConfig $ config show
config explain <key>: a value with the file and line it comes from
  <key> for example filesystem.timeoutMs, or filesystem for all of it
  > config.explainConfig $ config explain filesystem $ config explain policy.profile
config schema: the JSON Schema of the native configuration
  > config.printSchema $ config schema > toolplane.schema.json
`;
