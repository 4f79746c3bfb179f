import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type ScriptedModel, startScriptedModel } from "../fixtures/llm-script.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, type ServerEntry } from "../scenarios/support.ts";
import { openWorld, type World } from "./browser.ts";

const { resolve } = createRequire(import.meta.url);

export type Showcase = AsyncDisposable & {
  world: World;
  /** Ids of one thing of each kind, for the pages that show one. */
  call: string;
  run: string;
  plan: string;
};

/** A plane with a little of everything on it: servers that work and that do not, calls, approvals, plans, an agent. */
export async function openShowcase(): Promise<Showcase> {
  const directory = await temporaryDirectory();
  const notes = directory.file("notes");
  mkdirSync(notes);
  writeFileSync(join(notes, "plan.md"), "# Plan\n\n1. Look\n2. Try\n3. Approve\n");
  const model = await startScriptedModel({
    responses: (_, index) =>
      index % 2 === 0
        ? {
            kind: "tools",
            reasoning: "The plan is in a file, so I read it first.",
            calls: [{ name: "files__read_text_file", arguments: { path: join(notes, "plan.md") } }],
          }
        : { kind: "text", text: "The plan has three steps: look, try and approve." },
  });
  const world = await openWorld(serversFor(notes), settingsFor(model));
  const made = await fill(world, notes);
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

function serversFor(notes: string): Record<string, ServerEntry> {
  return {
    files: { ...installed("server-filesystem", notes), trusted: true },
    memory: installed("server-memory"),
    everything: installed("server-everything"),
    echo: fixture("echo"),
    fault: fixture("fault"),
    tracker: { command: "tracker-mcp-server-that-is-not-installed" },
  };
}

function settingsFor(model: ScriptedModel): object {
  return {
    models: { default: { baseURL: model.url, model: "scripted" } },
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

async function fill(world: World, notes: string): Promise<Pick<Showcase, "call" | "run" | "plan">> {
  const ask = async (path: string, body: unknown) => {
    const response = await fetch(world.url + path, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as {
      call?: { id: string };
      plan?: { id: string };
      trace?: { id: string };
    };
  };
  const call = (tool: string, args: object, more: object = {}) =>
    ask(`/tools/${tool}/call`, { arguments: args, ...more });
  await fetch(`${world.url}/tools`);
  for (const path of ["plan.md", "missing.md"])
    await call("files.read_text_file", { path: join(notes, path) });
  for (let at = 0; at < 12; at += 1) await call("echo.add", { a: at, b: 1 });
  await call("everything.get-sum", { a: 2, b: 40 });
  await call("fault.drop_after_receipt", { times: 1 });
  await call("echo.add", { a: "x" });
  await call("files.write_file", { path: join(notes, "answer.md"), content: "Forty-two.\n" });
  const entities = [{ name: "Ann", entityType: "person", observations: ["likes plans"] }];
  const { plan } = await call("memory.create_entities", { entities }, { conversation: "planning" });
  await call("memory.delete_entities", { entityNames: ["Bob"] }, { conversation: "planning" });
  const { trace } = await ask("/agent", { question: "What does my plan say?", trace: "all_messages" });
  const { call: last } = await call("files.list_directory", { path: notes });
  return { call: last?.id ?? "", run: trace?.id ?? "", plan: plan?.id ?? "" };
}

/** Every page there is, with something on it. */
export function showcasePages({
  call,
  run,
  plan,
}: Pick<Showcase, "call" | "run" | "plan">): [name: string, path: string][] {
  return [
    ["overview", "/"],
    ["servers", "/servers"],
    ["server", "/servers/files"],
    ["tools", "/tools"],
    ["tool", "/tools/files.read_text_file"],
    ["tool-editor", "/tools/files.read_text_file/edit"],
    ["try", "/try?tool=echo.add"],
    ["chat", "/chat"],
    ["approvals", "/approvals"],
    ["plans", "/plans"],
    ["plan", `/plans/${plan}`],
    ["dead-letters", "/dead-letters"],
    ["calls", "/calls"],
    ["call", `/calls/${call}`],
    ["runs", "/calls?view=runs"],
    ["run", `/runs/${run}`],
    ["jobs", "/jobs"],
    ["policy", "/policy"],
    ["settings", "/settings"],
  ];
}
