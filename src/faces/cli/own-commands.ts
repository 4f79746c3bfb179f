import type { CommandForm } from "../../operations/command-form.ts";
import { batchOptions, modelOptions, recordingOptions } from "../../operations/command-options.ts";

/** Commands that are no operation of a plane: they start one, or work with files and the terminal. */
export const ownCommands: readonly CommandForm[] = [
  {
    command: "tools export",
    about: "the tools you may call, in the format of a model's API; JSON on standard output",
    options: {
      "--format <name>": {
        about:
          "openai, anthropic, mcp, ai-sdk, json-schema, openai-responses, or code: TypeScript declarations",
        required: true,
      },
      "--server <name>": "only the tools of this server",
      "--tool <name>": { about: "only this tool, in any spelling; repeatable", kind: "list" },
      "--defer": "for models that search for tools themselves: anthropic, openai-responses",
    },
    examples: [
      "tools export --format openai",
      "tools export --format anthropic --server demo > tools.json",
      "tools export --format anthropic --defer",
    ],
    looks: true,
  },
  {
    command: "generate",
    about: "answer the prompts of a file with a model and tools",
    arguments: { "<file>": 'one prompt per line, {"prompt": …, "id": …}; - for standard input' },
    options: {
      ...batchOptions,
      ...modelOptions,
      "--trace <file>": "write the trace of each run there, one per line",
    },
    examples: [
      "generate prompts.jsonl --out answers.jsonl",
      "generate prompts.jsonl --out answers.jsonl --resume",
      "generate prompts.jsonl --toolset my-tools --parallel 16 --trace runs.jsonl",
    ],
  },
  {
    command: "approvals reject",
    about: "the call does not run",
    arguments: { "<id>": "the id, or its first characters" },
    options: { "--reason <text>": "the reason, for the caller" },
    examples: ["approvals reject 3f2a --reason 'not on a Friday'"],
  },
  {
    command: "plan make",
    about: "plan a task with the available tools; prints a script and calls nothing",
    arguments: { "<task>": "the task in plain words; - for standard input" },
    options: {
      "--out <file>": "write the script to this file",
      "--force": "overwrite an existing file",
      "--planner <tool>": { about: "the planning tool", default: "planner.plan_with_tools" },
      "--timeout <seconds>": {
        about: "how long the planner may take; 0 for no limit",
        kind: "seconds",
        default: "300",
      },
    },
    examples: ["plan make 'greet Ann and Bob'", "plan make 'greet Ann and Bob' --out greet.sh"],
  },
  {
    command: "plan run",
    about: "make the calls of a plan in order, until one fails",
    arguments: {
      "<file>": "a script of 'toolplane call' lines, or its steps as JSON; - for standard input",
    },
    options: {
      "--dry-run": "try every step and stop before it is executed",
      "--yes": "agree to what the policy would ask about",
    },
    examples: ["plan run greet.sh --dry-run", "plan run greet.sh"],
  },
  {
    command: "serve",
    about: "serve the workbench, the HTTP API and MCP; configuration changes apply while it runs",
    options: {
      "--host <address>": {
        about: "address to listen on; ::1 is used where the machine has IPv6 only",
        default: "127.0.0.1",
      },
      "--port <number>": {
        about: "port to listen on; 0 for any free one",
        kind: "port",
        default: "7420",
      },
      "--open": "open the workbench in a browser",
      "--print-pass": "print the link with its pass even if standard output is not a terminal",
      "--allow-host <name>": {
        about:
          "a host name that clients use, behind a load balancer; repeatable. Every request then needs a credential",
        kind: "hosts",
      },
      "--public-url <url>": {
        about: "the address that clients use, such as https://tools.example.org",
        kind: "publicUrl",
      },
      "--tls-cert <file>": "speak TLS with this certificate; it is read again when it is renewed",
      "--tls-key <file>": "the key of the certificate",
      "--trust-proxy <address>": {
        about: "a proxy or a network of proxies whose X-Forwarded-For counts; repeatable",
        kind: "proxies",
      },
      "--drain-seconds <number>": {
        about: "shutdown grace period: requests are still answered while /readyz is 503",
        kind: "drain",
        default: "0",
      },
      "--workers <number>": {
        about:
          "processes that share the port, or 'auto' for one per core; they need a store in Postgres",
        kind: "workers",
        default: "1",
      },
      "--background": "listen on no port; 'mcp' starts this when no plane serves its configuration",
      "--idle-exit <ms>": {
        about: "with --background, exit this long after the last client leaves",
        kind: "ms",
        default: "600000",
      },
      ...recordingOptions,
    },
    examples: [
      "serve",
      "serve --open",
      "serve --port 0 --config .mcp.json",
      "serve --workers auto",
    ],
  },
  {
    command: "mcp",
    about: "run the gateway on stdio, for clients that spawn a command",
    options: {
      "--mode <name>": {
        about: "full: every tool; lazy: tools on demand; code: programs; default: 'lazy.mode'",
        choices: ["full", "lazy", "code"],
      },
      "--names <kind>": {
        about: "tool names with or without the server's prefix",
        choices: ["prefixed", "bare"],
      },
      "--toolset <name>": "only the servers and tools of this toolset",
      "--server <name>": "only this server",
      ...recordingOptions,
    },
    examples: [
      "mcp",
      "mcp --config .mcp.json",
      "mcp --mode lazy --toolset small",
      "mcp --replay calls.jsonl",
    ],
  },
  {
    command: "stop",
    about: "stop the background plane of this configuration",
    examples: ["stop", "stop --config .mcp.json"],
  },
  {
    command: "demo",
    about: "run a small MCP server on stdio, to try things out",
    examples: ["servers add demo -- toolplane demo"],
  },
  {
    command: "planner",
    about: "run an MCP server on stdio that plans tasks with the tools of its host",
    examples: ["servers add planner -- toolplane planner"],
  },
  {
    command: "servers reconnect",
    about: "reconnect the servers that are down; those in backoff only with --force",
    arguments: { "[name]": "" },
    options: { "--force": { about: "also servers in backoff", default: false } },
    examples: ["servers reconnect", "servers reconnect --force --json"],
  },
  {
    command: "servers tools",
    about: "the names of one server's tools",
    arguments: { "<name>": "" },
    examples: ["servers tools demo"],
    looks: true,
  },
  {
    command: "servers wizard",
    about: "add, change and delete servers and toolsets, question by question",
    examples: ["servers wizard", "servers wizard --config team.json"],
  },
  {
    command: "state export",
    about: "write the whole state as lines of JSON, to a file or to standard output",
    arguments: { "[file]": "standard output when left out or -" },
    examples: ["state export state.jsonl", "state export | gzip > state.jsonl.gz"],
  },
  {
    command: "state import",
    about: "import an export into an empty store",
    arguments: { "<file>": "" },
    options: { "--dry-run": "check the file and the store, and change nothing" },
    examples: [
      "state import state.jsonl --store postgres://…",
      "state import state.jsonl --dry-run",
    ],
  },
  {
    command: "init",
    about: "write a starter configuration; asks on a terminal",
    options: {
      "--force": "replace an existing file",
      "--to <file>": { about: "the file to write", default: "toolplane.json" },
      "--yes": "ask nothing",
    },
    examples: ["init", "init --yes --to .mcp.json"],
  },
  {
    command: "explain",
    about: "explain an error code: what happened and what to do",
    arguments: { "[code]": "the code behind a message, such as TIMEOUT; all codes when left out" },
    examples: ["explain", "explain TIMEOUT", "explain PLAN_QUEUED --json"],
  },
  {
    command: "completion",
    about: "print the completion script for your shell",
    arguments: { "<shell>": "bash, zsh, fish or powershell" },
    examples: ["completion bash >> ~/.bashrc", "completion fish"],
  },
  {
    command: "config validate",
    about: "all problems of all files; exit code 1 when there are errors",
    options: { "--strict": "warnings count as errors" },
    examples: ["config validate", "config validate --config .mcp.json --json"],
    looks: true,
  },
  {
    command: "config schema",
    about: "the JSON Schema of the native configuration",
    examples: ["config schema > toolplane.schema.json"],
  },
  {
    command: "chat",
    about: "talk to a model with tools, and try servers and tools by hand",
    examples: ["chat", "chat --config .mcp.json", "chat < script.txt"],
  },
  {
    command: "batch",
    about: "make the calls of a file, several at once",
    arguments: {
      "<file>": 'one call per line, {"tool": …, "arguments": {…}}; - for standard input',
    },
    options: {
      ...batchOptions,
      "--yes": "agree to what the policy would ask about",
      "--dry-run": "stop each before anything is executed",
      ...recordingOptions,
    },
    examples: [
      "batch calls.jsonl",
      "batch calls.jsonl --out results.jsonl",
      "batch calls.jsonl --out results.jsonl --resume",
    ],
  },
];

/** Commands with commands of their own. */
export const commandGroups: Readonly<Record<string, Pick<CommandForm, "about" | "examples">>> = {
  tools: {
    about: "the catalogue",
    examples: ["tools list --server demo", "tools show demo.add", "tools export --format openai"],
  },
  registry: {
    about: "show, export and import tools, skills, tasks and jobs",
    examples: [
      "registry summary",
      "registry export > all.bundle",
      "registry import all.bundle --dry-run",
    ],
  },
  pins: {
    about: "pinned tool definitions",
    examples: ["pins list --status changed", "pins diff notes.send", "pins accept notes.send"],
  },
  skills: {
    about: "skills of manifests, which are run, and of servers and folders, which models read",
    examples: ["skills list", "skills run report days:=3 --dry-run"],
  },
  tasks: {
    about: "pieces of work, and when each counts as done",
    examples: ["tasks list", "tasks list --persona Atlas --json"],
  },
  jobs: {
    about: "scheduled workflows",
    examples: ["jobs list", "jobs run digest", "jobs history digest --state failed"],
  },
  code: {
    about: "programs that call tools as functions",
    examples: [
      "code run -e 'return await tools.demo.add({ a: 1, b: 2 })'",
      "code search 'read a file'",
    ],
  },
  calls: { about: "recorded calls", examples: ["calls list --status failed", "calls verify"] },
  conversations: {
    about: "what you asked agents, by conversation",
    examples: ["conversations rename chat-0a1b 'Release notes'", "conversations delete chat-0a1b"],
  },
  audit: {
    about: "who changed what, from where",
    examples: ["audit list --operation keys.create", "audit verify"],
  },
  results: {
    about: "large results, stored for a while",
    examples: ["results list", "results get r_0123456789abcdef0123 --path items.0"],
  },
  "dead-letters": {
    about: "calls that failed permanently",
    examples: ["dead-letters list", "dead-letters retry 0835"],
  },
  approvals: {
    about: "calls that wait for a person's yes",
    examples: [
      "approvals list",
      "approvals approve 9b64",
      "approvals reject 9b64 --reason 'not today'",
    ],
  },
  plan: {
    about: "queued changes of plan mode; plans to write, check and run",
    examples: ["plan show", "plan approve --first 1", "plan make 'greet Ann' --out greet.sh"],
  },
  policy: {
    about: "which calls run, which ask a person and which are refused",
    examples: ["policy test demo.add_note note=milk --face mcp"],
  },
  servers: {
    about: "the MCP servers behind the plane",
    examples: [
      "servers list",
      "servers add files -- npx -y @modelcontextprotocol/server-filesystem .",
    ],
  },
  prompts: {
    about: "the prompts that servers offer",
    examples: ["prompts list", "prompts get everything args-prompt city=Bern"],
  },
  resources: {
    about: "the resources that servers offer",
    examples: [
      "resources list --server everything",
      "resources read everything demo://resource/static/document/features.md",
    ],
  },
  keys: {
    about: "API keys for people and programs that call over HTTP",
    examples: ["keys create ci --group ops --expires 30d", "keys list"],
  },
  grants: {
    about: "what people allowed clients to do",
    examples: ["grants list", "grants revoke 3f9a01c2de"],
  },
  people: {
    about: "the people who sign in at the plane itself",
    examples: ["people invite ann@example.org --group ops", "people list"],
  },
  state: {
    about: "export and import all stored data",
    examples: [
      "state export state.jsonl",
      "state import state.jsonl --dry-run --store postgres://db.example/tools",
    ],
  },
  defaults: {
    about: "defaults that changed since the version that made the store",
    examples: ["defaults list", "defaults keep durability"],
  },
  config: {
    about: "show, check and explain the configuration",
    examples: ["config validate", "config explain filesystem.timeoutMs"],
  },
  extensions: {
    about: "what was added to the plane",
    examples: ["extensions list", "extensions list --json"],
  },
};

/** The headings of `--help`, with the commands under each in the order in which a person needs them. */
export const helpSections: Readonly<Record<string, string>> = {
  "Get started": "init add import connect disconnect trust doctor config serve mcp stop",
  "Tools and calls": "tools search recommend call batch policy approvals plan",
  "Models with tools": "agent chat generate code codegen",
  History: "activity calls conversations results dead-letters audit",
  "Servers and what they offer": "servers prompts resources stats pins",
  "Your own work": "tasks skills jobs registry",
  "The plane itself":
    "keys people grants extensions defaults state demo planner explain completion help",
};
