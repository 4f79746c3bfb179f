import type { Command } from "commander";
import type { Verb } from "./definitions/parts.ts";

/** The verbs as people look for them; for those that have verbs of their own, how they are used. */
const sections: Record<string, Record<string, readonly string[]>> = {
  "To begin with": {
    init: [],
    import: [],
    connect: [],
    disconnect: [],
    doctor: [],
    config: ["config validate", "config explain filesystem.timeoutMs"],
    serve: [],
    mcp: [],
    stop: [],
  },
  "Tools and calls": {
    tools: ["tools list --server demo", "tools show demo.add", "tools export --format openai"],
    search: [],
    recommend: [],
    call: [],
    batch: [],
    policy: ["policy test demo.add_note note=milk --face mcp"],
    approvals: ["approvals list", "approvals approve 9b64", "approvals reject 9b64 --reason 'not today'"],
    plan: ["plan show", "plan approve --first 1", "plan make 'greet Ann' --out greet.sh"],
  },
  "Models with tools": { agent: [], chat: [], generate: [] },
  "What happened": {
    activity: [],
    calls: ["calls list --status failed", "calls verify"],
    results: ["results list", "results get r_0123456789abcdef0123 --path items.0"],
    "dead-letters": ["dead-letters list", "dead-letters retry 0835"],
  },
  "Servers and what they say": {
    servers: ["servers list", "servers add files -- npx -y @modelcontextprotocol/server-filesystem ."],
    prompts: ["prompts list", "prompts get everything args-prompt city=Bern"],
    resources: [
      "resources list --server everything",
      "resources read everything demo://resource/static/document/features.md",
    ],
    stats: [],
    pins: ["pins list --status changed", "pins diff notes.send", "pins accept notes.send"],
  },
  "Written by hand": {
    tasks: ["tasks list", "tasks list --persona Atlas --json"],
    skills: ["skills list", "skills run report days:=3 --dry-run"],
    jobs: ["jobs list", "jobs run digest", "jobs history digest --state failed"],
    registry: ["registry summary", "registry export > all.bundle", "registry import all.bundle --dry-run"],
  },
  "The plane itself": {
    keys: ["keys create ci --group ops --expires 30d", "keys list"],
    state: ["state export state.jsonl", "state import state.jsonl --dry-run --store postgres://db.example/tools"],
    demo: ["servers add demo -- toolplane demo"],
    planner: ["servers add planner -- toolplane planner"],
    explain: [],
    help: [],
  },
};

/** Puts every verb under its heading, in the order in which a person needs them, whatever the order they were added in. */
export function arrangeHelp(program: Verb): void {
  const places = Object.values(sections).flatMap((verbs) => Object.keys(verbs));
  for (const [heading, verbs] of Object.entries(sections))
    for (const [verb, lines] of Object.entries(verbs)) {
      const command = program.commands.find((found) => found.name() === verb);
      command?.helpGroup(`${heading}:`);
      if (lines.length > 0) command?.examples(...lines);
    }
  const place = (command: Command) => places.indexOf(command.name());
  program.configureHelp({
    visibleCommands: ({ commands }) => commands.toSorted((one, other) => place(one) - place(other)),
    groupItems: (_, inOrder, headingOf) => Map.groupBy(inOrder, headingOf),
  });
}
