import assert from "node:assert/strict";
import { createPlane, principalOf } from "../../src/index.ts";
import { startGateway } from "../../test/fixtures/conformance/start-gateway.ts";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { until } from "../../test/fixtures/until.ts";
import { metaNames, openClient } from "../../test/scenarios/lazy-world.ts";
import { runCli } from "../../test/scenarios/support.ts";
import { tellStory } from "../story.ts";

Object.assign(process.env, { NODE: process.execPath, STORY: "told" });
const file = (name: string) => `${import.meta.dirname}/${name}`;
const configs = [file("global.mcp.json"), file(".mcp.json")];
await using directory = await temporaryDirectory();
process.env.STORY_MARK = directory.file("broke-once");
const { chapter, promise } = tellStory("Seed 002: many servers, few tokens");

await using serving = await startGateway(
  {},
  { plane: { config: [...configs, file("lazy.json")] } },
);
const { plane } = serving;
const events: string[] = [];
for (const type of [
  ...(["server.connecting", "server.connected", "server.disconnected", "server.error"] as const),
  ...(["tool.call", "tool.result", "tool.dynamicLoad", "tool.search"] as const),
])
  plane.on(
    type,
    (event) =>
      void events.push(
        type === "server.connected" && "toolCount" in event ? `${type} ${event.toolCount}` : type,
      ),
  );
const ann = principalOf({ user: "ann" });
const call = (tool: string, args: object, more = {}) =>
  plane.call(tool, args, { principal: ann, consent: true, ...more });
const stateOf = async (name: string) => (await plane.servers.get(name)).state;

chapter("Configuration");
await promise(
  "servers of all files are merged, and the later file replaces a server of the same name",
  async () => {
    const names = (await plane.servers.list()).map(({ name }) => name).sort();
    assert.deepEqual(names, ["filesystem", "notes", "playwright"]);
    assert.equal(plane.config().servers.filesystem?.command, process.execPath);
  },
);
await promise("${STORY} was expanded when the file was read", async () => {
  const { result } = await call("playwright.browser_click", { element: "Save" });
  assert.equal(result?.content[0]?.text, "browser_click Save told");
});
await promise("custom tools stand beside those of servers", async () => {
  const manifest = {
    name: "shout",
    description: "Says it louder, for example hey.",
    side_effects: "none" as const,
  };
  plane.tools.register({ manifest, run: ({ text }) => String(text).toUpperCase() });
  assert.equal((await call("shout", { text: "hey" })).result?.content[0]?.text, "HEY");
  plane.tools.unregister("shout");
});

chapter("Connection life cycle");
await promise("servers connect at the start, one with autoConnect: false does not", async () => {
  await until(
    "both are connected",
    async () =>
      (await stateOf("playwright")) === "connected" &&
      (await stateOf("filesystem")) === "connected",
  );
  assert.equal(await stateOf("notes"), "disconnected");
});
await promise(
  "connect and disconnect are reported as events, with the number of tools",
  async () => {
    events.length = 0;
    await plane.servers.connect("notes");
    await plane.servers.disconnect("notes");
    assert.deepEqual(events, ["server.connecting", "server.connected 1", "server.disconnected"]);
    assert.equal(await stateOf("notes"), "disconnected");
  },
);
await promise("a server that cannot start is in state error, and the others go on", async () => {
  await using broken = await createPlane({ config: configs[0] ?? "" });
  let told = false;
  broken.on("server.error", () => {
    told = true;
  });
  await broken.servers.connect("filesystem").catch(() => undefined);
  const { state, error } = await broken.servers.get("filesystem");
  assert.match(state, /error|backoff/);
  assert.match(String(error), /was not found/);
  assert.ok(told);
});

chapter("Lazy loading");
const client = await openClient(serving.url);
await promise("a client begins with the meta tools and those that are always loaded", async () => {
  assert.deepEqual(
    (await client.names()).sort(),
    [...metaNames, "playwright__browser_snapshot"].sort(),
  );
});
await promise("a tool that is known and not loaded can be called directly", async () => {
  const { text } = await client.call("mcp_playwright_browser_hover", { element: "Menu" });
  assert.match(text, /browser_hover Menu/);
});
await promise("more than 83 percent of the tokens are saved", async () => {
  const { totals } = await plane.stats();
  assert.ok(
    totals.tools >= 50 && totals.summaryTokens < totals.fullTokens && totals.savedPercent >= 83,
    JSON.stringify(totals),
  );
  console.log(
    `      ${totals.tools} tools: ${totals.fullTokens} tokens whole, ${totals.summaryTokens} as summaries, ${totals.savedPercent} % saved`,
  );
});
await promise("client options at the top level mean what they mean there", async () => {
  await using other = await createPlane({ config: [...configs, file("client-options.json")] });
  const { mode, alwaysLoadTools } = other.config().lazy;
  assert.deepEqual([mode, alwaysLoadTools], ["always", ["mcp_playwright_browser_snapshot"]]);
});

chapter("Tool search");
await promise("words find tools by name and description, and load them", async () => {
  events.length = 0;
  const { tools } = await client.search("browser click");
  assert.match(tools[0]?.name ?? "", /browser_click$/);
  assert.ok((await client.loaded()).some((name) => name.endsWith("browser_click")));
  assert.ok(events.includes("tool.search") && events.includes("tool.dynamicLoad"), events.join());
});
await promise("a pattern finds exactly what it fits", async () => {
  const { tools } = await client.search("browser_(click|hover)", { regex: true });
  assert.deepEqual(tools.map(({ name }) => name.replace(/^.*__/, "")).sort(), [
    "browser_click",
    "browser_hover",
  ]);
});
await promise("limit is the number of results", async () => {
  const { tools } = await client.search("screenshot", { limit: 3 });
  assert.ok(tools.length <= 3);
  assert.match(tools[0]?.name ?? "", /browser_take_screenshot$/);
});
await promise("mcp_tool_list lists a server's tools", async () => {
  const { text } = await client.call("mcp_tool_list", { server: "filesystem" });
  assert.match(text, /read_file/);
  assert.doesNotMatch(text, /browser_/);
});
await promise("mcp_context_stats tells the model what its tools cost", async () => {
  const { isError, text } = await client.call("mcp_context_stats", {});
  assert.ok(!isError, text);
});

chapter("Tool validation");
await promise(
  "a tool without a description, documentation and a conventional name has a low score, and comes first",
  async () => {
    await plane.servers.connect("notes");
    const { tools } = await plane.tools.quality();
    const [worst] = tools;
    assert.equal(worst?.name, "notes.doIt");
    assert.equal(worst?.score, 100 - 40 - 5 - 5 - 5);
    assert.deepEqual(
      worst?.checks.map(({ check }) => check),
      ["no_description", "undocumented_properties", "no_required", "name_style"],
    );
  },
);
await promise("a good definition has the full score and passes", async () => {
  const { tools } = await plane.tools.quality();
  const good = tools.find(({ name }) => name === "playwright.browser_take_screenshot");
  assert.deepEqual([good?.score, good?.passed], [100, true]);
});

chapter("Commands");
async function chat(...lines: string[]) {
  const place = [...configs, file("lazy.json")].flatMap((name) => ["--config", name]);
  return runCli(["chat", ...place, "--data-dir", directory.path, "--standalone"], {
    input: `${lines.join("\n")}\n`,
  });
}
const { stdout } = await chat(
  "/mcp",
  "/mcp connect notes",
  "/mcp tools filesystem",
  "/mcp search take a screenshot",
  "/mcp stats",
  "/mcp disconnect notes",
);
await promise("/mcp lists servers with state and number of tools", () =>
  assert.match(stdout, /● playwright +connected .* 51\b/),
);
await promise("/mcp connect and /mcp disconnect take a server in and out", () => {
  assert.match(stdout, /notes is connected: 1 tool/);
  assert.match(stdout, /notes is disconnected/);
});
await promise("/mcp tools lists what there is", () =>
  assert.match(stdout, /filesystem\.read_file/),
);
await promise("/mcp search finds and loads", () => assert.match(stdout, /browser_take_screenshot/));
await promise("/mcp stats shows tokens whole and as summaries", () =>
  assert.match(stdout, /SERVER +TOOLS +FULL +SUMMARY/),
);
await promise("/mcp tools shows the result of validation", async () => {
  const { stdout: listed } = await chat("/mcp tools filesystem --quality");
  assert.match(listed, /score|quality|\b100\b/i);
});
await promise("/mode and /show-plan are known", async () => {
  const { stderr } = await chat("/mode plan", "/show-plan");
  assert.doesNotMatch(stderr, /There is no/);
});

chapter("Events and errors");
await promise("a call has an event when it begins and one when it ended", async () => {
  events.length = 0;
  await call("filesystem.read_file", { element: "a.txt" });
  assert.deepEqual(events, ["tool.call", "tool.result"]);
});
await promise("what broke on the way is tried again where that is safe", async () => {
  const outcome = await call("filesystem.flaky_read", { element: "a.txt" });
  assert.equal(outcome.ok, true, JSON.stringify(outcome.error));
  assert.ok(outcome.call.attempts > 1);
});
await promise(
  "what cannot succeed is reported to the caller and kept as a dead letter",
  async () => {
    const outcome = await call("filesystem.forbidden", { element: "x" });
    assert.equal(outcome.ok, false);
    const { deadLetters } = await plane.deadLetters.page();
    assert.ok(
      deadLetters.some(({ tool }) => tool === "filesystem.forbidden"),
      JSON.stringify(deadLetters),
    );
  },
);

chapter("Plan mode");
await promise("a write is queued, a read passes", async () => {
  const queued = await call(
    "mcp_filesystem_create_file",
    { element: "b.txt" },
    { mode: "plan", consent: false },
  );
  assert.equal(queued.error?.code, "PLAN_QUEUED");
  const read = await call("mcp_filesystem_read_file", { element: "b.txt" }, { mode: "plan" });
  assert.equal(read.ok, true, JSON.stringify(read.error));
  const [plan] = await plane.plans.list({ principal: ann });
  const { outcomes } = await plane.plans.approve(plan?.id ?? "", {}, { principal: ann });
  assert.equal(outcomes[0]?.outcome?.ok, true, JSON.stringify(outcomes));
});
await promise("create, update and delete are writes, listing is not", async () => {
  const effectOf = async (tool: string) =>
    (await plane.policy.test(tool, { element: "x" }, { mode: "plan" })).effect.effect;
  for (const verb of ["create", "update", "delete"])
    assert.equal(await effectOf(`filesystem.${verb}_file`), "write");
  assert.equal(await effectOf("filesystem.list_files"), "read");
});
