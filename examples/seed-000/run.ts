import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createPlane, principalOf } from "../../src/index.ts";
import { startScriptedModel } from "../../test/fixtures/llm-script.ts";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { runCli } from "../../test/scenarios/support.ts";
import { dataOf, tellStory } from "../story.ts";

process.env.NODE = process.execPath;
const config = `${import.meta.dirname}/mcp.json`;
const { chapter, promise } = tellStory(
  "Seed 000: _mcp_data, the argument that only the system sets",
);

type Listed = { server_name: string; description: string; tools: { name: string }[] };
type Inventory = { available_servers: Listed[] };
const step = { tool: "my_server_toolName", arguments: { query: "x" }, why: "Look it up." };
const answer = JSON.stringify({ steps: [step] });
const asked: string[] = [];
const hooked: string[] = [];

await using directory = await temporaryDirectory();
await using plane = await createPlane({
  config,
  principal: { user: "ann@example.org" },
  hooks: {
    PreToolUse: [
      ({ payload }) => {
        hooked.push(JSON.stringify(payload));
        const forged = { task: "by a hook", _mcp_data: { available_servers: [] } };
        return hooked.at(-1)?.includes("hook me")
          ? { decision: "modify", payload: { arguments: forged } }
          : undefined;
      },
    ],
  },
  async sampling(params) {
    asked.push(JSON.stringify(params));
    return { role: "assistant", model: "scripted", content: { type: "text", text: answer } };
  },
});

async function received(
  tool: string,
  args: object,
  principal = principalOf({ user: "ann@example.org" }),
) {
  return dataOf<Record<string, unknown>>(await plane.call(tool, args, { principal }));
}
const inventoryOf = async (principal?: Parameters<typeof received>[2]) =>
  (await received("my_planner_inventory", { task: "t" }, principal))._mcp_data as Inventory;

chapter("How it works");
const inventory = await inventoryOf();
await promise("a tool whose schema declares _mcp_data gets it", () =>
  assert.ok(inventory.available_servers.length > 0),
);
await promise(
  "a tool that does not declare it gets nothing, even where a caller sends it",
  async () =>
    assert.deepEqual(await received("my_server_toolName", { query: "q", _mcp_data: {} }), {
      query: "q",
    }),
);
await promise("what a model or a user sends in its place is overwritten", async () => {
  const forged = { available_servers: [{ server_name: "forged" }] };
  const { _mcp_data } = await received("my_planner_inventory", { task: "t", _mcp_data: forged });
  assert.deepEqual(_mcp_data, inventory);
});
await promise("after an edit in an approval the system's value is set again", async () => {
  const waiting = await plane.call("my_planner_plan_task", { task: "a" });
  assert.ok(waiting.approval, JSON.stringify(waiting.error));
  const { shown } = await plane.approvals.get(waiting.approval.id);
  assert.ok(!JSON.stringify(shown).includes("server_name"), "the approver sees a placeholder");
  const edited = { task: "b", _mcp_data: { available_servers: [] } };
  const { outcome } = await plane.approvals.answer(waiting.approval.id, {
    decision: "approve",
    arguments: edited,
  });
  const { results } = dataOf<{ results: { task: string; tool_count: number } }>(outcome ?? {});
  assert.equal(results.task, "b");
  assert.ok(results.tool_count > 0);
});
await promise("a hook neither sees it nor sets it", async () => {
  const given = await received("my_planner_inventory", { task: "hook me" });
  assert.deepEqual([given.task, given._mcp_data], ["by a hook", inventory]);
  assert.ok(!hooked.join().includes("available_servers"));
});

chapter("The structure");
const mine = inventory.available_servers.find(({ server_name }) => server_name === "my_server");
await promise("available_servers holds a server as the document shows it, and nothing more", () =>
  assert.deepEqual(mine, {
    server_name: "my_server",
    description: "Server description from config",
    tools: [
      {
        name: "my_server_toolName",
        description: "What this tool does",
        parameters: { type: "object", properties: { query: { type: "string" } } },
      },
    ],
  }),
);
await promise("only what this caller may use is in it", async () => {
  const names = ({ available_servers }: Inventory) =>
    available_servers.map(({ server_name }) => server_name);
  assert.ok(!names(inventory).includes("vault"));
  const keeper = await inventoryOf(principalOf({ user: "kim@example.org", groups: ["keepers"] }));
  assert.ok(names(keeper).includes("vault"));
  assert.equal(
    keeper.available_servers.find(({ server_name }) => server_name === "vault")?.description,
    "Only for keepers",
  );
});
await promise("neither a compliance level nor a way to connect is in it", () => {
  const text = JSON.stringify(inventory);
  for (const secret of ["compliance", "Internal", "command", "server.ts", process.execPath])
    assert.ok(!text.includes(secret), secret);
});
await promise("the pseudo server canvas is left out", () =>
  assert.ok(!inventory.available_servers.some(({ server_name }) => server_name === "canvas")),
);

chapter("A tool that uses it");
await promise("plan_task counts the tools that it could use", async () => {
  const { outcome } = await plane.approvals.answer(
    (await plane.call("my_planner_plan_task", { task: "c" })).approval?.id ?? "",
    { decision: "approve" },
  );
  const { results } = dataOf<{ results: Record<string, unknown> }>(outcome ?? {});
  assert.ok((results.available_tools as string[]).includes("my_server_toolName"));
  assert.equal(results.tool_count, (results.available_tools as string[]).length);
});
await promise("no model is shown the parameter, in any format", async () => {
  for (const format of ["openai", "anthropic", "mcp", "json-schema"] as const)
    assert.ok(!JSON.stringify(await plane.toolset().schemas(format)).includes("_mcp_data"), format);
});

chapter("tool_planner");
const made = await plane.call("tool_planner_plan_with_tools", { task: "Look x up" });
const { script } = dataOf<{ script: string }>(made);
await promise("it gives the tools to a model as readable text, with their parameters", () => {
  assert.match(asked[0] ?? "", /Server: my_server \(Server description from config\)/);
  assert.match(asked[0] ?? "", /query \(string, optional\)/);
  assert.ok(!asked[0]?.includes("_mcp_data"));
});
await promise("what comes back is a script of commands that exist", async () => {
  assert.match(script, /^toolplane call my_server\.toolName --args '\{"query":"x"\}'/m);
  assert.deepEqual((await plane.plans.check(script)).problems, []);
});
await promise("the script runs, with a configuration and variables of its own choice", async () => {
  const file = directory.file("plan.sh");
  const variables = directory.file("story.env");
  await writeFile(file, script);
  await writeFile(variables, `NODE=${process.execPath}\n`);
  const place = ["--config", config, "--data-dir", directory.path, "--env-file", variables];
  const { code, stdout, stderr } = await runCli(["plan", "run", file, ...place]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /"query":"x"/);
});
await promise("a script made for one configuration names it, and runs elsewhere", async () => {
  await using model = await startScriptedModel({
    responses: () => ({ kind: "text", text: answer }),
  });
  const models = directory.file("models.json");
  const file = directory.file("made.sh");
  await writeFile(
    models,
    JSON.stringify({ models: { default: { baseURL: model.url, model: "scripted" } } }),
  );
  const place = ["--config", config, "--config", models, "--data-dir", directory.path];
  const planner = ["--planner", "tool_planner.plan_with_tools"];
  const { code, stderr } = await runCli([
    "plan",
    "make",
    "Look x up",
    ...planner,
    "--out",
    file,
    ...place,
  ]);
  assert.equal(code, 0, stderr);
  assert.match(await readFile(file, "utf8"), /--config/);
});
await promise(
  "without sampling it says so and lists the tools, for a person to write the steps",
  async () => {
    await using silent = await createPlane({ config, dataDirectory: directory.path });
    const planned = await silent.call("tool_planner_plan_with_tools", { task: "Look x up" });
    assert.match(dataOf<{ script: string }>(planned).script, /toolName/);
  },
);

chapter("username-override-demo");
await promise("username is the caller, whatever was sent", async () =>
  assert.deepEqual(
    await received("username-override-demo_whoami", { username: "root", note: "n" }),
    {
      username: "ann@example.org",
      note: "n",
    },
  ),
);
await promise(
  "a planner needs no model: it can answer with the tools that it was given",
  async () => {
    const { results } = await received("username-override-demo_plan_with_tools", { task: "d" });
    const { available_tools } = results as { available_tools: string[] };
    assert.ok(available_tools.includes("my_server_toolName"));
  },
);
