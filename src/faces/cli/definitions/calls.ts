import { Option } from "commander";
import type { Cli } from "../cli.ts";
import {
  collect,
  collectHosts,
  type Run,
  toCharacters,
  toDrainSeconds,
  toMilliseconds,
  toPort,
  toSeconds,
  type Verb,
} from "./parts.ts";

const bodies = {
  call: () => import("../commands/call.ts"),
  serve: () => import("../start/serve.ts"),
  background: () => import("../start/background.ts"),
  callHistory: () => import("../commands/call-history.ts"),
  results: () => import("../commands/results.ts"),
  deadLetters: () => import("../commands/dead-letters.ts"),
};

/** Calling tools, and letting others call them: `call`, `serve`, `mcp`, `demo`, `planner`. */
export function addCallCommands(program: Verb, run: Run, cli: Pick<Cli, "runDemoServer" | "runPlannerServer">): void {
  program
    .verb("call", "call a tool")
    .argument("<tool>", "the tool, in any spelling")
    .argument("[values...]", "key=value or key:=json")
    .option("--args <json>", "arguments as JSON, @FILE, or - for standard input")
    .option("--timeout <seconds>", "limit of this call; 0 for none", toSeconds)
    .option("--yes", "agree to what the policy would ask about")
    .option("--plan", "queue what would change something, instead of doing it")
    .option("--conversation <name>", "the conversation that the call belongs to")
    .option("--tool-group <name>", "a group of tools that is meant; repeatable, default when left out", collect)
    .option("--state <name>", "the state that an agent is in")
    .option("--max-result <characters>", "keep a larger result and print its handle; 0 for never", toCharacters)
    .option("--save-artifacts <directory>", "write the files that come with the result into this directory")
    .option("--force", "overwrite files that are there already")
    .option("--dry-run", "stop before anything is executed, and say what the policy says")
    .examples("call demo.greet name=Ann", "call demo.add a:=1 b:=2", `call demo.greet --args '{"name":"Ann"}' --json`)
    .action(run(bodies.call, "callTool"));
  program
    .verb("serve", "serve the workbench, the HTTP API and MCP; changes of the configuration are applied while it runs")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 for any free one", toPort, 7420)
    .option("--open", "open the workbench in a browser")
    .option(
      "--allow-host <name>",
      "a name that it is reached by behind a balancer; repeatable, then every request needs a credential",
      collectHosts,
    )
    .option("--drain-seconds <number>", "after SIGTERM, answer for so long while /readyz says no", toDrainSeconds, 0)
    .option("--background", "listen at no port: what 'mcp' starts where no plane serves its configuration")
    .option("--idle-exit <ms>", "in the background, end so long after the last client", toMilliseconds, 600_000)
    .examples("serve", "serve --open", "serve --port 0 --config .mcp.json")
    .action((options: { background?: boolean }, command: Verb) => {
      const serve = options.background ? run(bodies.background, "serveInBackground") : run(bodies.serve, "serve");
      return serve(options, command);
    });
  program
    .verb("mcp", "run the gateway on stdio, for clients that spawn a command")
    .addOption(
      new Option("--mode <name>", "full: every tool; lazy: those that are needed; else by 'lazy.mode'").choices([
        "full",
        "lazy",
      ]),
    )
    .addOption(new Option("--names <kind>", "how tools are called").choices(["prefixed", "bare"]))
    .option("--toolset <name>", "only the servers and tools of this toolset")
    .option("--server <name>", "only this server")
    .examples("mcp", "mcp --config .mcp.json", "mcp --mode lazy --toolset small")
    .action(run(bodies.background, "serveMcp"));
  program
    .verb("stop", "end the background plane that 'mcp' has started for this configuration")
    .examples("stop", "stop --config .mcp.json")
    .action(run(bodies.background, "stopBackground"));
  program.verb("demo", "run a small MCP server on stdio, to try things on").action(() => cli.runDemoServer());
  program
    .verb("planner", "run an MCP server on stdio that plans tasks with the tools of its host")
    .action(() => cli.runPlannerServer());
}

export function addCallHistoryCommands(program: Verb, run: Run): void {
  const calls = program.verb("calls", "the record of calls");
  calls
    .verb("list", "what was called, newest first; with --user only what they called")
    .option("--tool <name>", "only calls of the tool of exactly this name")
    .option("--status <status>", "only these: succeeded, tool_error, failed, refused, waiting, cancelled, dry_run")
    .option("--run <id>", "only calls that this run of an agent made")
    .option("--limit <number>", "at most so many, 1 to 1000")
    .option("--cursor <cursor>", "where an earlier page ended")
    .examples("calls list", "calls list --status failed --limit 20", "calls list --user ann")
    .action(run(bodies.callHistory, "listCalls"));
  calls
    .verb("show", "one call: who, what, how it was decided, and where its time went; or a whole run of an agent")
    .argument("<id>", "the id, as 'calls list' or 'calls runs' shows it")
    .examples("calls show 0mwhdikxj-1a2b3c4d5e6f7g8h")
    .action(run(bodies.callHistory, "showCall"));
  calls
    .verb("runs", "what agents were asked and how it went, newest first; with --user only what they asked")
    .option("--outcome <outcome>", "only these: completed, max-iterations, budget, failed, cancelled")
    .option("--model <name>", "only runs with this model")
    .option("--toolset <alias>", "only runs with this toolset")
    .option("--conversation <id>", "only runs of this conversation")
    .option("--since <time>", "only those that began then or later, such as 2026-11-15T09:00:00Z")
    .option("--limit <number>", "at most so many, 1 to 1000")
    .option("--cursor <cursor>", "where an earlier page ended")
    .examples("calls runs", "calls runs --outcome failed --since 2026-11-15")
    .action(run(bodies.callHistory, "listRuns"));
  calls
    .verb("verify", "verify the audit hash chain; names the first call that fails")
    .option("--head <hash>", "a hash that an earlier run gave: it has to be in the record still")
    .examples("calls verify", "calls verify --head 9f86d081884c7d65…")
    .action(run(bodies.callHistory, "verifyCalls"));
}

export function addResultCommands(program: Verb, run: Run): void {
  const results = program.verb("results", "large results that are kept for a while");
  results
    .verb("get", "one of them, whole or in parts")
    .argument("<id>", "the id that was given in its place")
    .option("--offset <number>", "where to begin: a character, a line or a match")
    .option("--limit <number>", "at most so many of them; everything when left out")
    .option(
      "--path <path>",
      "only this part of JSON: items.0.name or /items/0/name; '$result' is the result as it came",
    )
    .option("--grep <pattern>", "only lines in which this is found, with those around them")
    .option("--lines", "count lines instead of characters")
    .examples(
      "results get r_0123456789abcdef0123",
      "results get r_0123456789abcdef0123 --path items.0",
      "results get r_0123456789abcdef0123 --grep 'ERROR|WARN' --limit 20",
    )
    .action(run(bodies.results, "getResult"));
  results
    .verb("list", "what is kept, newest first")
    .option("--limit <number>", "at most so many, 1 to 1000")
    .option("--cursor <cursor>", "where an earlier page ended")
    .examples("results list", "results list --json")
    .action(run(bodies.results, "listResults"));
}

export function addDeadLetterCommands(program: Verb, run: Run): void {
  const letters = program.verb("dead-letters", "calls that failed for good");
  letters
    .verb("list", "what failed, what becomes of it and what you can do")
    .option("--status <status>", "only these: pending, retrying, resolved or abandoned")
    .option("--tool <name>", "only calls of this tool")
    .option("--server <name>", "only calls of this server's tools")
    .option("--limit <number>", "at most so many, 1 to 1000")
    .option("--cursor <cursor>", "where an earlier page ended")
    .examples("dead-letters list", "dead-letters list --status pending --json")
    .action(run(bodies.deadLetters, "listDeadLetters"));
  letters
    .verb("retry", "make the call again, as its first caller")
    .argument("[id]", "the id, or its first characters")
    .option("--all", "every pending one that cannot have run already", false)
    .examples("dead-letters retry 3f2a", "dead-letters retry --all")
    .action(run(bodies.deadLetters, "retryDeadLetters"));
  addOneLetterCommands(letters, run);
}

function addOneLetterCommands(letters: Verb, run: Run): void {
  letters
    .verb("show", "one of them: the call, the error and everything that happened to it")
    .argument("<id>", "the id, or its first characters")
    .examples("dead-letters show 3f2a")
    .action(run(bodies.deadLetters, "showDeadLetter"));
  letters
    .verb("resolve", "mark resolved")
    .argument("<id>", "the id, or its first characters")
    .option("--note <text>", "how it was resolved")
    .examples("dead-letters resolve 3f2a --note 'sent by hand'")
    .action(run(bodies.deadLetters, "settleDeadLetter", "resolve"));
  letters
    .verb("abandon", "give it up: it is not tried again by itself")
    .argument("<id>", "the id, or its first characters")
    .option("--note <text>", "the reason, for the record")
    .examples("dead-letters abandon 3f2a")
    .action(run(bodies.deadLetters, "settleDeadLetter", "abandon"));
  letters
    .verb("delete", "forget it, with its arguments")
    .argument("<id>", "the id, or its first characters")
    .examples("dead-letters delete 3f2a")
    .action(run(bodies.deadLetters, "deleteDeadLetter"));
}
