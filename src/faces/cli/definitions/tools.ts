import { collect, type Run, toCount, toLimit, type Verb } from "./parts.ts";

const bodies = {
  tools: () => import("../commands/tools.ts"),
  registry: () => import("../commands/registry.ts"),
  callHistory: () => import("../commands/call-history.ts"),
  toolEdit: () => import("../commands/tool-edit.ts"),
  quality: () => import("../commands/quality.ts"),
  pins: () => import("../commands/pins.ts"),
};

export function addToolCommands(program: Verb, run: Run): void {
  const tools = program.verb("tools", "the catalogue");
  addFilters(tools.verb("list", "every tool you may call, or those that are meant"))
    .examples(
      "tools list --server demo",
      "tools list --capability web_search --min-success-rate 80%",
      "tools list --version-range '^1.2' --side-effects none --json",
    )
    .action(run(bodies.tools, "listTools"));
  tools
    .verb("show", "one tool: arguments, metadata, providers, health")
    .argument("<name>", "any spelling: server.tool, server_tool, mcp__server__tool, or the bare name if it is unique")
    .examples("tools show demo.greet")
    .action(run(bodies.tools, "showTool"));
  tools
    .verb("export", "what you may call, as a model's API takes it; JSON on standard output")
    .requiredOption("--format <name>", "openai, anthropic, mcp, ai-sdk, json-schema or openai-responses")
    .option("--server <name>", "only the tools of this server")
    .option("--tool <name>", "only this tool, in any spelling; repeatable", collect)
    .option("--defer", "for models that search for tools themselves: anthropic, openai-responses")
    .examples(
      "tools export --format openai",
      "tools export --format anthropic --server demo > tools.json",
      "tools export --format anthropic --defer",
    )
    .action(run(bodies.tools, "exportTools"));
  program
    .verb("registry", "the registry as a whole")
    .verb("summary", "what it holds for you, or for the persona you call as, in short")
    .examples("registry summary", "registry summary --persona Atlas --json")
    .action(run(bodies.registry, "showSummary"));
}

function addFilters(command: Verb): Verb {
  return command
    .option("--server <name>", "only the tools of this server")
    .option("--persona-filter <name>", "of this persona and shared; -shared leaves those out; repeatable", collect)
    .option("--provider <name>", "executed by this kind of provider; repeatable, all are needed", collect)
    .option("--capability <tag>", "with this capability; repeatable, all are needed", collect)
    .option("--version-range <range>", "of these versions: ^1.2, '>=1.2, <2', 1.x")
    .option("--side-effects <kind>", "with this side effect; repeatable, one is enough", collect)
    .option("--safety-level <level>", "low, medium or high; repeatable, one is enough", collect)
    .option("--min-success-rate <share>", "that worked so often: 0.8, 80 or 80%")
    .option("--include-unused <flag>", "also tools without calls: true or false")
    .option("--tool-group <name>", "of this group of tools; repeatable, * for all, default when left out", collect)
    .option("--state <name>", "that are there in this state")
    .option("--query <words>", "whose name, description or capabilities contain these words")
    .option("--limit <number>", "so many at most, up to 1000")
    .option("--cursor <text>", "go on where an earlier page ended");
}

export function addSearchCommands(program: Verb, run: Run): void {
  program
    .verb("search", "the tools that fit best, by words, name or pattern")
    .argument("[query...]", "what to do with what; select:NAME,NAME takes tools by name; without it the first by name")
    .option("--and <query>", "look for this at the same time; repeatable", collect)
    .option("--regex", "the query is a pattern, looked for in names, texts and parameters")
    .option("--server <name>", "only tools of this server, or of those that a glob fits")
    .option("--limit <number>", "so many at most, up to 100", toCount)
    .examples(
      "search send an email",
      "search 'read a file' --server 'git*'",
      "search '^get_.*weather' --regex --json",
      "search 'take a screenshot' --and 'write a pdf'",
    )
    .action(run(bodies.tools, "searchTools"));
  program
    .verb("recommend", "the servers and tools that are worth having at hand for a task")
    .argument("<task...>", "the task, in a few sentences")
    .option("--limit <number>", "so many tools at most, up to 15", toCount)
    .examples("recommend 'take a screenshot of the shop and mail it to Ann'")
    .action(run(bodies.tools, "recommendTools"));
}

/** What people change in the catalogue, and what happened to it: `tools`, `registry`, `activity`. */
export function addToolEditCommands(program: Verb, run: Run): void {
  const named = (name: string) => program.commands.find((command) => command.name() === name) ?? program.command(name);
  addSet(named("tools"), run);
  addChanges(named("tools"), run);
  addBundles(named("registry"), run);
  program
    .verb("activity", "the last 100 calls of the plane that serves, in short")
    .option("--follow", "go on with what happens, until Ctrl-C")
    .examples("activity", "activity --follow")
    .action(run(bodies.callHistory, "showActivity"));
}

function addSet(tools: Verb, run: Run): void {
  tools
    .verb("set", "set a tool; it takes precedence over one of the same name in a file")
    .argument("<file>", "a manifest, - for standard input; with --server and --tool the name of the tool")
    .option("--server <name>", "call a tool of this server")
    .option("--tool <name>", "the tool of that server")
    .option("--description <text>", "what it does; the server's words when left out")
    .option("--argument <name:type:text>", "an argument, name?: for an optional one; repeatable", collect)
    .option("--side-effects <kind>", "none, write, network, …")
    .option("--reason <text>", "why, for the history")
    .examples(
      "tools set lookup.json --reason 'for the help desk'",
      "tools set weather --server demo --tool greet --argument 'name:string:Whom to greet: a first name'",
      "tools set - < lookup.json",
    )
    .action(run(bodies.toolEdit, "setTool"));
  tools
    .verb("delete", "delete a tool that was set; one of a file is there again")
    .argument("<name>", "its name; with --persona that persona's")
    .option("--reason <text>", "why, for the history")
    .examples("tools delete lookup --reason 'not needed any more'")
    .action(run(bodies.toolEdit, "deleteTool"));
}

function addChanges(tools: Verb, run: Run): void {
  tools
    .verb("changes", "what changed in the catalogue, when, by whom and why; newest first")
    .argument("[name]", "only of this tool")
    .option("--kind <kind>", "added, changed, removed or listed")
    .option("--limit <number>", "so many at most, up to 1000; 50")
    .option("--offset <number>", "leave out so many of the newest")
    .examples("tools changes", "tools changes lookup --limit 5", "tools changes --json")
    .action(run(bodies.toolEdit, "listChanges"));
}

function addBundles(registry: Verb, run: Run): void {
  registry
    .verb("export", "hand-written tools, skills, tasks and jobs as one signed bundle on standard output")
    .argument("[names...]", "only these")
    .option("--kind <kind>", "tool, skill, task or job; repeatable", collect)
    .examples("registry export > all.bundle", "registry export lookup > lookup.bundle")
    .action(run(bodies.registry, "exportBundle"));
  registry
    .verb("delete", "take away a skill, task or job that a bundle brought")
    .argument("<kind>", "skill, task or job")
    .argument("<name>", "its name; with --persona the one of that persona")
    .option("--reason <text>", "why, for the history")
    .examples("registry delete job digest --reason 'not needed any more'")
    .action(run(bodies.registry, "deleteEntry"));
  registry
    .verb("import", "take over everything in a bundle, or nothing")
    .argument("<file>", "a bundle, - for standard input")
    .option("--reason <text>", "why, for the history; needed unless --dry-run")
    .option("--dry-run", "only show what would change")
    .examples("registry import all.bundle --dry-run", "registry import all.bundle --reason 'release 7'")
    .action(run(bodies.registry, "importBundle"));
}

/** How good definitions are and what they cost: `tools lint`, `stats`. */
export function addLintCommands(program: Verb, run: Run): void {
  const tools = program.commands.find((command) => command.name() === "tools") ?? program.command("tools");
  tools.commands
    .find((command) => command.name() === "list")
    ?.option("--quality", "with the score of each definition and what is wrong with it", false);
  tools
    .verb(
      "lint",
      "how well definitions tell a model what tools are for, and what they hide, worst first; 1 when one does not pass",
    )
    .option("--server <name>", "only the tools of this server")
    .option("--threshold <score>", "the score a tool needs to pass, 0 to 100; 40 when left out")
    .option("--require-examples", "a description without an example loses points", false)
    .option(
      "--fail-on <severity>",
      "a tool with such a finding or a worse one does not pass: high, medium or low; none looks at the score alone",
      "high",
    )
    .examples("tools lint", "tools lint --server demo --threshold 80 --json", "tools lint --fail-on medium")
    .action(run(bodies.quality, "lintTools"));
  program
    .verb("stats", "what the definitions of tools cost in the context of a model, by server")
    .option("--server <name>", "only the tools of this server")
    .option("--tools", "each tool, too, the most expensive first", false)
    .option("--limit <number>", "of the tools only so many, up to 1000; all when left out", toLimit)
    .examples("stats", "stats --server demo --tools --limit 10", "stats --json")
    .action(run(bodies.quality, "showStats"));
}

export function addPinCommands(program: Verb, run: Run): void {
  const pins = program.verb("pins", "pinned tool definitions");
  pins
    .verb("list", "compare current definitions with the pinned ones")
    .option("--server <name>", "only the tools of this server")
    .option("--status <status>", "only these: pinned, changed, new or rejected")
    .examples("pins list", "pins list --status changed --json")
    .action(run(bodies.pins, "listPins"));
  pins
    .verb("diff", "what is different from what was pinned")
    .argument("<name>", "the tool, in any spelling")
    .examples("pins diff demo.greet")
    .action(run(bodies.pins, "diffPin"));
  for (const [verb, description] of [
    ["accept", "pin the current definition"],
    ["reject", "quarantine the tool until its definition is the pinned one again, or accepted"],
  ] as const) {
    pins
      .verb(verb, description)
      .argument("<name>", "the tool, in any spelling")
      .option("--reason <text>", "the reason, for the record")
      .examples(`pins ${verb} demo.greet --reason 'read the release notes'`)
      .action(run(bodies.pins, "decidePin", verb));
  }
}
