import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type ScriptedModel, startScriptedModel } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, type ServerEntry } from "../scenarios/support.ts";
import { skill, task } from "../scenarios/work-world.ts";
import { openWorld, type Page, type World } from "./browser.ts";

const { resolve } = createRequire(import.meta.url);

export type Showcase = AsyncDisposable & {
  world: World;
  /** Ids of one thing of each kind, for the pages that show one. */
  call: string;
  run: string;
  plan: string;
};

const release = `# Release 2.4

- [x] Migrations run on a copy of the data
- [x] Notes for users
- [ ] Ann looks at the billing page
- [ ] Tag and publish
`;
const answer =
  "Two things are left before release 2.4: Ann has to look at the billing page, then it can be tagged and published.";

/** What a team might have scheduled. */
const work = {
  skills: [
    skill("read-notes", {
      steps: [
        { id: "read", tool: "files.read_text_file", arguments: { path: "notes/release.md" } },
      ],
    }),
  ],
  tasks: [task("collect", ["read-notes"])],
  jobs: [
    {
      name: "release-report",
      summary: "Tells every morning what is left to do",
      personas: ["Atlas"],
      required_skills: ["read-notes"],
      task_graph: [{ task: "collect" }],
      recurrence: { cron: "0 9 * * mon-fri", timezone: "Europe/Berlin" },
    },
    {
      name: "tidy-notes",
      summary: "Looks through the notes of the week",
      personas: ["Atlas"],
      required_skills: ["read-notes"],
      task_graph: [{ task: "collect" }],
    },
  ],
};

/** One that adds what a page can show, and one that is not in use. */
const extensions = {
  greeter: `export default {
    name: "greeter",
    about: "Greets people, and remembers whom.",
    needs: ["call"],
    setup({ addOperation, addPanel, addProvider }) {
      const greetings = [{ name: "Ann", text: "Hello, Ann!" }, { name: "Bob", text: "Good evening, Bob." }];
      addProvider("greet", async (_spec, { name }) => "Hello, " + name + "!");
      addPanel({ title: "Greetings", facts: () => [
        { label: "said", value: 42, about: "since the start of the plane" },
        { label: "polite", value: true },
        { label: "last", value: null },
      ] });
      addOperation({ name: "greetings.list", summary: "The greetings that were said", scope: "read",
        columns: { name: "Name", text: "Greeting" }, run: () => ({ greetings }) });
      addOperation({ name: "greetings.say", summary: "Greet a person", scope: "call", changes: true,
        input: { type: "object", required: ["name"], additionalProperties: false, properties: {
          name: { type: "string", description: "Who is greeted." },
          language: { type: "string", enum: ["en", "de"] },
          loud: { type: "boolean" } } },
        run: ({ name, loud }) => ({ text: loud ? "HELLO, " + name + "!" : "Hello, " + name + "!" }) });
    },
  };`,
  pager: `export default {
    name: "pager",
    about: "Asks people for approvals by pager.",
    setup() { throw new Error("the pager service refuses the key"); },
  };`,
};

/** A plane with a little of everything on it: servers that work and that do not, calls, approvals, plans, an agent. */
export async function openShowcase(): Promise<Showcase> {
  const directory = await temporaryDirectory();
  mkdirSync(directory.file("notes"));
  mkdirSync(directory.file("work"));
  writeFileSync(directory.file("notes/release.md"), release);
  for (const [kind, entries] of Object.entries(work))
    writeFileSync(directory.file(`work/${kind}.json`), JSON.stringify(entries));
  const model = await startScriptedModel({
    responses: (_, index) =>
      index % 2 === 0
        ? {
            kind: "tools",
            reasoning: "What is left is in the notes of the release, so I read them first.",
            calls: [{ name: "files__read_text_file", arguments: { path: "notes/release.md" } }],
          }
        : { kind: "text", text: answer },
  });
  for (const [name, code] of Object.entries(extensions))
    writeFileSync(directory.file(`${name}.mjs`), code);
  const more = {
    manifests: [directory.file("work/*.json")],
    extensions: Object.keys(extensions).map((name) => directory.file(`${name}.mjs`)),
  };
  const world = await openWorld(serversIn(directory.file(".")), { ...settingsFor(model), ...more });
  const made = await fill(world);
  return {
    world,
    ...made,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await model.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** A server as people install it, started without a package manager in between. */
function installed(name: string, ...args: string[]): ServerEntry {
  const manifest = resolve(`@modelcontextprotocol/${name}/package.json`);
  return { command: process.execPath, args: [join(dirname(manifest), "dist/index.js"), ...args] };
}

/** Files are named from where their server runs, so that pictures show no directory of a test. */
function serversIn(cwd: string): Record<string, ServerEntry> {
  return {
    files: {
      ...installed("server-filesystem", "."),
      cwd,
      trusted: true,
      side_effects: "filesystem",
    },
    memory: { ...installed("server-memory"), side_effects: "write" },
    everything: installed("server-everything"),
    echo: fixture("echo"),
    fault: fixture("fault"),
    tracker: { command: "tracker-mcp-server-that-is-not-installed" },
  };
}

function settingsFor(model: ScriptedModel): object {
  return {
    models: { default: { baseURL: model.url, model: "scripted", price: { input: 3, output: 15 } } },
    toolsets: {
      reading: { providers: ["files"], allow_tools: ["read_*", "list_*"], max_tool_call_turns: 5 },
      sums: { providers: ["echo", "everything"], allow_tools: ["add", "get-sum"] },
    },
    // Pictures of all pages take longer than an approval usually waits.
    approvals: { expireMs: 3_600_000 },
    personas: { Atlas: { flags: { release_manager: true } } },
    users: {
      "ann@example.org": { groups: ["billing", "release"], persona: "Atlas" },
      "bob@example.org": { groups: ["support"] },
    },
    policy: {
      rules: [
        { tool: "files.write_file", verdict: "ask", reason: "files are changed by people" },
        {
          server: "memory",
          effects: ["write"],
          faces: ["mcp", "http"],
          verdict: "queue",
          reason: "what is remembered is looked at first",
        },
        {
          tool: "files.move_file",
          arguments: { destination: "/etc/**" },
          verdict: "deny",
          reason: "nothing moves into /etc",
        },
      ],
    },
  };
}

async function fill(world: World): Promise<Pick<Showcase, "call" | "run" | "plan">> {
  const ask = async (path: string, body: unknown) => {
    const response = await fetch(world.url + path, {
      method: "POST",
      headers: world.proof,
      body: JSON.stringify(body),
    });
    return (await response.json()) as {
      call?: { id: string };
      approval?: { id: string };
      plan?: { id: string };
      trace?: { id: string };
    };
  };
  const call = (tool: string, args: object, more: object = {}) =>
    ask(`/tools/${tool}/call`, { arguments: args, ...more });
  await fetch(`${world.url}/tools`);
  for (const path of ["notes/release.md", "notes/missing.md"])
    await call("files.read_text_file", { path });
  for (let at = 0; at < 12; at += 1) await call("echo.add", { a: at, b: 1 });
  await call("everything.get-sum", { a: 2, b: 40 });
  await call("fault.drop_after_receipt", { times: 1 });
  await call("echo.add", { a: "x" });
  const { approval } = await call("files.write_file", { path: "notes/todo.md", content: "" });
  await ask(`/approvals/${approval?.id}`, {
    decision: "reject",
    reason: "An empty list is of no use.",
  });
  const done = release.replace("- [ ] Ann looks", "- [x] Ann looked");
  await call("files.write_file", { path: "notes/release.md", content: done });
  const entities = [{ name: "Ann", entityType: "person", observations: ["looks after billing"] }];
  const { plan } = await call("memory.create_entities", { entities }, { conversation: "planning" });
  await call("memory.delete_entities", { entityNames: ["Bob"] }, { conversation: "planning" });
  await ask("/jobs/release-report/run", {});
  const question = {
    question: "What is left to do before the release?",
    trace: "all_messages",
    conversation: "chat-release",
  };
  const { trace } = await ask("/agent", question);
  const { call: last } = await call("files.list_directory", { path: "notes" });
  return { call: last?.id ?? "", run: trace?.id ?? "", plan: plan?.id ?? "" };
}

export type ShowcasePage = [name: string, path: string, heading: string, shows?: string];

/** Every page there is, with something on it. A view shows what other views under the same heading do not. */
export function showcasePages({
  call,
  run,
  plan,
}: Pick<Showcase, "call" | "run" | "plan">): ShowcasePage[] {
  return [
    ["overview", "/", "Overview"],
    ["servers", "/servers", "Servers"],
    ["clients", "/clients", "Clients"],
    ["definitions", "/definitions", "Definitions"],
    ["server", "/servers/files", "files"],
    ["tools", "/tools", "Tools"],
    ["tool", "/tools/files.read_text_file", "files.read_text_file"],
    ["tool-editor", "/tools/files.read_text_file/edit", "Edit files.read_text_file"],
    ["try", "/try?tool=echo.add", "Try"],
    ["chat", "/chat?id=chat-release", "Chat"],
    ["approvals", "/approvals", "Approvals"],
    ["answered", "/approvals?view=answered", "Approvals", "rejected"],
    ["plans", "/plans", "Plans"],
    ["plan", `/plans/${plan}`, "Plan"],
    ["dead-letters", "/dead-letters", "Dead letters"],
    ["calls", "/calls", "Calls"],
    ["calls-hour", "/calls?range=hour", "Calls", "Slowest tools"],
    ["call", `/calls/${call}`, "files.list_directory"],
    ["conversations", "/calls?view=conversations", "Calls", "By the conversation"],
    ["runs", "/calls?view=runs", "Calls", "What is left to do"],
    ["run", `/runs/${run}`, "What is left to do before the release?"],
    ["context", "/context", "Context", "All definitions at once"],
    ["jobs", "/jobs", "Jobs"],
    ["job", "/jobs?job=release-report", "Jobs", "Run now"],
    ["policy", "/policy", "Policy"],
    ["skills", "/skills", "Skills"],
    ["toolsets", "/toolsets", "Toolsets and personas"],
    ["toolset", "/toolsets/reading", "reading"],
    ["personas", "/toolsets?view=personas", "Toolsets and personas", "release_manager"],
    ["users", "/users", "Users and keys"],
    ["keys", "/users?view=keys", "Users and keys", "API keys"],
    ["extensions", "/extensions", "Extensions", "greetings.list"],
    ["settings", "/settings", "Settings", "servers.files.command"],
    ["changed defaults", "/settings?view=defaults", "Settings", "No default has changed"],
  ];
}

/** Waits until all of a page is shown. */
export async function shown(page: Page, heading: string): Promise<void> {
  // What lies over a page hides it from readers of the screen.
  await page.getByRole("heading", { level: 1, name: heading, includeHidden: true }).waitFor();
  await page.locator("main [role=status][aria-busy=true]").first().waitFor({ state: "detached" });
}
