import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createPlane, principalOf, type ToolListing } from "../../src/index.ts";
import { startGateway } from "../../test/fixtures/conformance/start-gateway.ts";
import { startScriptedModel } from "../../test/fixtures/llm-script.ts";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { runCli } from "../../test/scenarios/support.ts";
import { tellStory } from "../story.ts";

await using model = await startScriptedModel({
  responses: () => ({ kind: "text", text: "what a model knows" }),
});
Object.assign(process.env, { NODE: process.execPath, MODEL_URL: model.url });
for (const name of ["GOOGLE_API_KEY", "GOOGLE_CSE_ID", "SERPAPI_KEY"]) delete process.env[name];
const directory = await temporaryDirectory();
await using _ = directory;
// A copy, because the story edits its files. The servers start where the program is.
await cp(import.meta.dirname, directory.path, { recursive: true });
const config = directory.file("config.yaml");
await writeFile(
  directory.file("server.ts"),
  `import ${JSON.stringify(import.meta.resolve("./server.ts"))};\n`,
);

const { chapter, promise } = tellStory("Seed 001: manifests, personas, providers and their health");
const setKeys = (...names: string[]) => {
  for (const name of ["GOOGLE_API_KEY", "GOOGLE_CSE_ID", "SERPAPI_KEY"]) delete process.env[name];
  for (const name of names) process.env[name] = "set";
};
setKeys("GOOGLE_API_KEY", "GOOGLE_CSE_ID", "SERPAPI_KEY");

await using serving = await startGateway({}, { plane: { config, watch: true } });
const { plane } = serving;
plane.tools.registerProvider("sky", () => "stars");
let googleFails = false;
plane.tools.registerProvider("google_cse", (_, args) => {
  if (googleFails) throw new Error("Google is down");
  return `google ${args.query}`;
});
plane.tools.registerProvider("serpapi", () => "serpapi");

const origin = serving.url.replace(/\/mcp$/, "");
async function tools(query: string): Promise<(ToolListing & Record<string, unknown>)[]> {
  const response = await fetch(`${origin}/tools?${query}`);
  assert.equal(response.status, 200, query);
  return ((await response.json()) as { tools: ToolListing[] }).tools as (ToolListing &
    Record<string, unknown>)[];
}
const names = async (query: string) => (await tools(query)).map(({ name }) => name);
const atlas = principalOf({ user: "ann", persona: "Atlas" });
const textOf = async (tool: string, args = {}, principal = atlas) => {
  const outcome = await plane.call(tool, args, { principal, consent: true });
  return outcome.ok
    ? outcome.result.content[0]?.text
    : `${outcome.error.code}: ${outcome.error.message}`;
};

chapter("Discovering tools via the API");
await promise("persona=Atlas shows its tools and the shared ones", async () => {
  const found = await names("persona=Atlas");
  for (const name of ["star_map", "google_search", "browser_lookup"])
    assert.ok(found.includes(name), name);
  assert.ok(!found.includes("supernova"));
});
await promise("persona=Atlas&persona=-shared leaves the shared ones out", async () => {
  const found = await names("persona=Atlas&persona=-shared");
  assert.ok(found.includes("star_map") && !found.includes("google_search"), found.join());
});
await promise("without a persona shared and persona manifests are listed together", async () => {
  const found = await names("");
  for (const name of ["google_search", "star_map", "supernova"])
    assert.ok(found.includes(name), `${name} is missing`);
});
await promise("provider=openai and version=>=1.2 narrow the list", async () => {
  assert.deepEqual(await names("provider=openai"), ["browser_lookup"]);
  assert.ok((await names("persona=Atlas&version=>=1.2")).includes("star_map"));
  assert.ok(!(await names("persona=Atlas&version=>=1.2")).includes("google_search"));
});
await promise("min_success_rate=0.8 keeps what did well, and 80 means the same", async () => {
  assert.equal(await textOf("star_map"), "stars");
  assert.deepEqual(await names("persona=Atlas&min_success_rate=0.8"), ["star_map"]);
  assert.deepEqual(await names("persona=Atlas&min_success_rate=80"), ["star_map"]);
});
await promise("each tool has capability tags, scopes and rolling health", async () => {
  const [found] = await tools("q=google_search");
  assert.deepEqual(found?.capability_tags, ["web_search", "news"]);
  assert.deepEqual(found?.auth_scopes, ["search"]);
  assert.equal(found?.health.total, 0);
  assert.equal((await tools("persona=Atlas&q=star_map"))[0]?.health.success_rate, 1);
});

chapter("Manifest keys");
await promise(
  "version, side effects, timeout, auth and allow_parallel are kept as written",
  async () => {
    const { metadata } = await plane.tools.get("google_search");
    const { version, side_effects, default_timeout, allow_parallel, auth } = metadata;
    assert.deepEqual(
      [version, side_effects, default_timeout, allow_parallel],
      ["1.0.0", "none", 30, true],
    );
    assert.equal(auth.type, "api_key");
    assert.deepEqual(auth.envs?.SERPAPI_KEY, { optional: true });
  },
);
await promise("the eight side effects are known, and another one is refused by name", async () => {
  const good = [
    "none",
    "write",
    "network",
    "read_external_service",
    "filesystem",
    "compute",
    "system",
    "database",
  ];
  const write = (...effects: string[]) =>
    writeFile(
      directory.file("modules/Tools/tool_maps/effects.json"),
      JSON.stringify(
        effects.map((side_effects, n) => ({
          name: `e${n}`,
          description: "An effect.",
          side_effects,
        })),
      ),
    );
  const validate = () =>
    runCli(["config", "validate", "--json", "--config", config, "--data-dir", directory.path]);
  await write(...good);
  assert.equal((await validate()).code, 0);
  await write("teleport");
  const { code, stdout } = await validate();
  assert.equal(code, 1);
  assert.match(stdout, /side_effects.*read_external_service/s);
  await writeFile(directory.file("modules/Tools/tool_maps/effects.json"), "[]");
});
await promise(
  "both examples of the document load, with a warning for what they leave out",
  async () => {
    const { stdout } = await runCli([
      "config",
      "validate",
      "--json",
      "--config",
      config,
      "--data-dir",
      directory.path,
    ]);
    const { ok, problems } = JSON.parse(stdout) as {
      ok: boolean;
      problems: { severity: string; message: string }[];
    };
    assert.equal(ok, true);
    assert.ok(problems.some(({ message }) => message.includes("idempotency_key")));
  },
);

chapter("Metadata at run time");
await promise("what a program reads cannot change the catalogue", async () => {
  const { metadata } = await plane.tools.get("google_search");
  assert.throws(() => Object.assign(metadata, { version: "9.9.9" }), TypeError);
  assert.equal((await plane.tools.get("google_search")).metadata.version, "1.0.0");
});

chapter("Provider selection");
await promise("the provider with the lowest priority answers", async () =>
  assert.match(String(await textOf("google_search", { query: "x" })), /^google/),
);
await promise("one that fails is skipped within the call, and backs off", async () => {
  googleFails = true;
  assert.equal(await textOf("google_search", { query: "x" }), "serpapi");
  const { router } = (await plane.tools.get("google_search")).health.providers.google_cse ?? {};
  assert.ok(router?.backoff_until);
  googleFails = false;
});
await promise("with SERPAPI_KEY alone the search falls back to the second provider", async () => {
  setKeys("SERPAPI_KEY");
  assert.equal(await textOf("google_search", { query: "x" }), "serpapi");
});
setKeys("GOOGLE_API_KEY", "GOOGLE_CSE_ID", "SERPAPI_KEY");

chapter("Capability registry");
await promise(
  "a changed manifest is noticed, and a forced refresh reads and polls again",
  async () => {
    const { revision } = await plane.registry.summary();
    const file = directory.file("modules/Tools/tool_maps/more.json");
    await writeFile(
      file,
      JSON.stringify({ name: "added", description: "Added later.", side_effects: "none" }),
    );
    await plane.reload();
    await plane.servers.refresh(undefined, { force: true });
    const summary = await plane.registry.summary();
    assert.ok(summary.revision > revision);
    assert.ok(summary.tools.some(({ name }) => name === "added"));
  },
);
await promise(
  "the summary has jobs with personas, requirements, derived capabilities and health.job",
  async () => {
    const { jobs } = await plane.registry.summary({ persona: "Atlas" });
    const [digest] = jobs;
    assert.deepEqual(digest?.personas, ["Atlas"]);
    assert.deepEqual(
      [digest?.required_skills, digest?.required_tools],
      [["research"], ["google_search"]],
    );
    for (const tag of ["reading", "research", "Web_Search"])
      assert.ok(digest?.required_capabilities.includes(tag), tag);
    assert.equal(digest?.health.job.total, 0);
  },
);
await promise("a persona that is not on the job's list does not see it", async () =>
  assert.deepEqual((await plane.registry.summary({ persona: "Nova" })).jobs, []),
);
await promise("skills are found over the API as well", async () => {
  const { skills } = (await (await fetch(`${origin}/skills?persona=Atlas`)).json()) as {
    skills: { name: string }[];
  };
  assert.deepEqual(
    skills.map(({ name }) => name),
    ["research"],
  );
});

chapter("MCP tools: wrapped in a manifest");
await promise(
  "browser_lookup reaches browser.find of browser-server, and asks for consent first",
  async () => {
    const asked = await plane.call("browser_lookup", { url: "a.example" });
    assert.equal(asked.error?.code, "APPROVAL_REQUIRED", JSON.stringify(asked.error));
    assert.equal(await textOf("browser_lookup", { url: "a.example" }), "browser.find a.example");
  },
);
await promise("when the server is gone the model behind 'openai' answers", async () => {
  await plane.servers.disconnect("browser-server");
  try {
    assert.equal(await textOf("browser_lookup", { url: "a.example" }), "what a model knows");
  } finally {
    await plane.servers.connect("browser-server");
  }
});
await promise(
  "the last successful provider stays in the health payload after a failure",
  async () => {
    assert.equal(await textOf("star_map"), "stars");
    using _broken = plane.tools.registerProvider("sky", () => {
      throw new Error("clouds");
    });
    assert.match(String(await textOf("star_map")), /clouds/);
    assert.equal(
      (await plane.tools.get("star_map", { principal: atlas })).health.last_invocation?.selected,
      "sky",
    );
  },
);

chapter("MCP tools: discovered");
const found = await plane.tools.get("mcp.browser-server.browser.find");
const own = await plane.tools.get("mcp.sky-server.look", { principal: atlas });
await promise("they are called mcp.<server>.<tool>", async () =>
  assert.equal(await textOf("mcp.browser-server.browser.find", { url: "b" }), "browser.find b"),
);
await promise(
  "side effects, parallel, consent and idempotency have the defaults of the table",
  () => {
    const { side_effects, allow_parallel, requires_consent, idempotency_key } = found.metadata;
    assert.deepEqual(
      [side_effects, allow_parallel ?? false, requires_consent, idempotency_key],
      ["network", false, true, false],
    );
  },
);
await promise("default_timeout is the global setting, or the server's", () =>
  assert.deepEqual([found.metadata.default_timeout, own.metadata.default_timeout], [20, 5]),
);
await promise("what a server's settings say comes before the defaults", () => {
  const { side_effects, allow_parallel, requires_consent, idempotency_key } = own.metadata;
  assert.deepEqual(
    [side_effects, allow_parallel, requires_consent, idempotency_key],
    ["compute", true, false, true],
  );
});
await promise(
  "auth is merged: scopes of both places, a scope means that it is required, variables are copied",
  () => {
    const { scopes, required, envs = {} } = found.metadata.auth;
    assert.deepEqual(
      [scopes, required, Object.keys(envs)],
      [["browse", "read"], true, ["BROWSER_TOKEN"]],
    );
  },
);
await promise("each has one provider, the server's tool", () => {
  const [provider, ...others] = found.providers;
  assert.deepEqual(
    [provider?.name, provider?.config, others],
    ["mcp", { server: "browser-server", tool: "browser.find" }, []],
  );
});
await promise("global and server filters keep tools out", async () => {
  const all = (await plane.tools.list({ principal: atlas })).map(({ id }) => id.tool);
  assert.ok(!all.includes("browser.delete") && !all.includes("scan"), all.join());
});
await promise("a server with a persona is for that persona alone", async () => {
  const nova = await plane.tools.list({ principal: principalOf({ user: "ned", persona: "Nova" }) });
  assert.ok(!nova.some(({ id }) => id.server === "sky-server"));
});

chapter("Health and backoff");
await promise(
  "the summary shows until when a provider backs off, and how its last call went",
  async () => {
    using _down = plane.tools.registerProvider("google_cse", () => {
      throw new Error("Google is down");
    });
    const before = (await plane.tools.get("google_search")).health.providers.google_cse?.router
      .backoff_until;
    await sleep(Math.max(0, Date.parse(before ?? "1970-01-01") - Date.now()));
    await textOf("google_search", { query: "x" });
    const { tools: listed } = await plane.registry.summary({ persona: "Atlas" });
    const provider = listed.find(({ name }) => name === "google_search")?.health.providers
      .google_cse;
    assert.ok(provider?.router.backoff_until);
    assert.equal(provider.last_call?.ok, false);
  },
);
await promise("without tools.mcp.enabled no server is asked", async () => {
  await using quiet = await createPlane({
    config: {
      tools: { mcp: { enabled: false, servers: { off: { command: "no-such-command" } } } },
    } as object,
  });
  assert.deepEqual(await quiet.tools.list(), []);
});
