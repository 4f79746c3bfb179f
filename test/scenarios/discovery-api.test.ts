import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { type Answer, getJson, postCall } from "./requests.ts";
import {
  fixture,
  namedServer,
  type RunningServe,
  runCli,
  startServe,
  writeConfig,
} from "./support.ts";

type Shown = Record<string, unknown> & { name: string; health: Record<string, unknown> };

/** The two manifests of seed 001, and one that says everything. */
const tools = {
  google_search: {
    description: "A Google search result API...",
    side_effects: "none",
    version: "1.0.0",
    capabilities: ["Web_Search", "news"],
    auth: { required: true, scopes: ["search"], envs: { SURELY_NOT_SET_KEY: { required: true } } },
    providers: [{ name: "mcp", config: { server: "echo", tool: "echo" } }],
  },
  browser_lookup: {
    description: "Proxy to the MCP browser tool",
    side_effects: "network",
    version: "1.2",
    capabilities: ["web_search"],
    safety_level: "medium",
    providers: [
      { name: "mcp", priority: 0, config: { server: "echo", tool: "echo" } },
      { name: "mcp", priority: 10, config: { server: "atlas", tool: "plan" } },
    ],
  },
  ledger: {
    description: "Reads the ledger",
    side_effects: "database",
    version: "2.0.0-beta.1",
    safety_level: "high",
    default_timeout: 5,
    cost_per_call: 0.5,
    cost_unit: "EUR",
    persona_allowlist: ["Atlas"],
    providers: [{ name: "mcp", config: { server: "echo", tool: "echo" } }],
  },
};

/** Every key of seed-systems.md 2.6. */
const keys = [
  "name",
  "persona",
  "description",
  "version",
  "capabilities",
  "auth",
  "auth_required",
  "safety_level",
  "requires_consent",
  "allow_parallel",
  "idempotency_key",
  "default_timeout",
  "side_effects",
  "cost_per_call",
  "cost_unit",
  "persona_allowlist",
  "providers",
  "source",
  "capability_tags",
  "auth_scopes",
  "health",
  "settings",
  "credentials",
];

suite("the discovery API", () => {
  let directory: TemporaryDirectory;
  let serving: RunningServe;
  let config: string;

  before(async () => {
    directory = await temporaryDirectory();
    const servers = {
      echo: fixture("echo"),
      atlas: { ...namedServer("atlas", ["plan"]), persona: "Atlas" },
      nova: { ...namedServer("nova", ["paint"]), persona: "Nova" },
    };
    config = await writeConfig(directory, servers, {
      tools,
      overlays: { "atlas.plan": { description: "Plans a task" } },
    });
    serving = await startServe(config, directory.path);
    // A request for one server waits for it.
    for (const server of ["echo", "atlas", "nova"]) {
      await postCall(serving.url, `${server}.none`, {});
    }
    for (const message of ["one", "two"]) {
      assert.equal(
        (await postCall(serving.url, "browser_lookup", { arguments: { message } })).status,
        200,
      );
    }
    await postCall(serving.url, "echo.fail", { arguments: { reason: "no" } });
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });

  const get = (query: string): Promise<Answer> => getJson(`${serving.url}/tools${query}`);
  const shown = async (query: string): Promise<Shown[]> => {
    const { status, body } = await get(query);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.count, (body.tools as Shown[]).length);
    return body.tools as Shown[];
  };
  const names = async (query: string) => (await shown(query)).map(({ name }) => name);
  const notOfEcho = async (query: string) =>
    (await names(query)).filter((name) => !name.startsWith("echo."));

  test("a persona sees its own tools and what is shared, or its own alone", async () => {
    const all = ["atlas.plan", "browser_lookup", "google_search", "ledger", "nova.paint"];
    assert.deepEqual(await notOfEcho(""), all, "shared and persona manifests together");
    assert.deepEqual(await notOfEcho("?persona=Atlas"), [
      "atlas.plan",
      "browser_lookup",
      "google_search",
      "ledger",
    ]);
    assert.deepEqual(await names("?persona=Atlas&persona=-shared"), ["atlas.plan"]);
    assert.deepEqual(await names("?persona=-shared&persona=atlas&persona=NOVA"), [
      "atlas.plan",
      "nova.paint",
    ]);
    for (const word of [
      "-shared",
      "!shared",
      "no-shared",
      "without-shared",
      "shared%3Dfalse",
      "shared:false",
    ]) {
      assert.deepEqual(await names(`?persona=${word}`), ["atlas.plan", "nova.paint"], word);
    }
    const refused = await postCall(serving.url, "atlas.plan", {});
    assert.deepEqual(
      [refused.status, refused.body.code],
      [403, "FORBIDDEN"],
      "seeing is not calling",
    );
  });

  test("capabilities, providers, versions, side effects, safety and words narrow the list", async () => {
    assert.deepEqual(await names("?capability=web_search"), ["browser_lookup", "google_search"]);
    assert.deepEqual(await names("?capability=web_search&capability=NEWS"), ["google_search"]);
    assert.deepEqual(await names("?provider=openai"), []);
    assert.deepEqual(await names("?provider=MCP&capability=news"), ["google_search"]);
    assert.deepEqual(await names("?version=%5E1.2"), ["browser_lookup"]);
    assert.deepEqual(await names("?persona=Atlas&version=%3E1.99,%3C2"), ["ledger"]);
    assert.deepEqual(await notOfEcho("?side_effects=none&side_effects=database"), [
      "google_search",
      "ledger",
    ]);
    assert.deepEqual(await names("?safety_level=medium"), ["browser_lookup"]);
    assert.deepEqual(await names("?q=mcp+PROXY"), ["browser_lookup"]);
    assert.ok((await names("?server=echo")).every((name) => name.startsWith("echo.")));
  });

  test("a success rate is a share or a percentage, and leaves out what was never called unless it is wanted", async () => {
    for (const rate of ["0.8", "80", "80%25", "1", "100"]) {
      assert.deepEqual(await names(`?min_success_rate=${rate}`), ["browser_lookup"], rate);
    }
    assert.deepEqual(await names("?include_unused=false"), ["browser_lookup", "echo.fail"]);
    const withUnused = await names("?min_success_rate=80&include_unused=true");
    assert.ok(withUnused.includes("google_search") && !withUnused.includes("echo.fail"));
  });

  test("a tool is shown with every key, its health, and no more of its credentials than that they are missing", async () => {
    const [ledger] = await shown("?persona=Atlas&safety_level=high");
    const [search] = await shown("?capability=news");
    for (const tool of [ledger, search]) {
      assert.deepEqual(
        keys.filter((key) => !Object.hasOwn(tool ?? {}, key)),
        [],
      );
    }
    const { version, default_timeout, cost_per_call, cost_unit, persona_allowlist } =
      ledger as Shown;
    assert.deepEqual(
      { version, default_timeout, cost_per_call, cost_unit, persona_allowlist },
      {
        version: "2.0.0-beta.1",
        default_timeout: 5,
        cost_per_call: 0.5,
        cost_unit: "EUR",
        persona_allowlist: ["Atlas"],
      },
    );
    assert.deepEqual([search?.auth_required, search?.auth_scopes], [true, ["search"]]);
    assert.deepEqual(search?.capability_tags, ["web_search", "news"]);
    assert.deepEqual(search?.credentials, {
      SURELY_NOT_SET_KEY: { required: true, configured: false },
    });
    const [used] = await shown("?safety_level=medium");
    assert.deepEqual([used?.health.total, used?.health.success_rate], [2, 1]);
    assert.deepEqual(Object.keys(used?.health.providers ?? {}), ["mcp:echo", "mcp:atlas"]);
    const [alone] = await shown("?safety_level=medium&include_provider_health=false");
    assert.deepEqual(alone?.health.providers, {});
  });

  test("pages follow each other until there is none", async () => {
    const whole = await names("?persona=Atlas&persona=Nova");
    const paged: string[] = [];
    let cursor = "";
    do {
      const { body } = await get(`?persona=Atlas&persona=Nova&limit=3${cursor}`);
      assert.equal(body.total, whole.length);
      paged.push(...(body.tools as Shown[]).map(({ name }) => name));
      cursor = body.nextCursor === null ? "" : `&cursor=${body.nextCursor}`;
    } while (cursor !== "");
    assert.deepEqual(paged, whole);
  });

  test("a parameter or a value that makes no sense is a problem that names it", async () => {
    const problems: [query: string, parameter: string, detail: RegExp][] = [
      ["?capabilty=x", "capabilty", /Did you mean 'capability'\?/],
      ["?min_success_rate=often", "min_success_rate", /'min_success_rate' cannot be 'often'/],
      ["?min_success_rate=101", "min_success_rate", /'101'/],
      ["?version=%3E%3Dnewest", "version", /'newest' is not a valid version/],
      ["?side_effects=wriet", "side_effects", /Did you mean 'write'\?/],
      ["?limit=0", "limit", /from 1 to 1000/],
      ["?cursor=***", "cursor", /nextCursor/],
      ["?persona=-share", "persona", /Did you mean '-shared'\?/],
    ];
    for (const [query, parameter, detail] of problems) {
      const { status, type, body } = await get(query);
      assert.deepEqual(
        [status, type, body.code],
        [400, "application/problem+json", "USAGE"],
        query,
      );
      assert.equal((body.data as { parameter: string }).parameter, parameter);
      assert.match(String(body.detail), detail);
    }
  });

  test("the summary tells what there is for a persona, over HTTP and on the command line", async () => {
    const { body } = await getJson(`${serving.url}/registry/summary?persona=Atlas`);
    const own = (body.tools as Shown[]).filter(({ persona }) => persona === "Atlas");
    assert.deepEqual(
      own.map(({ name }) => name),
      ["atlas.plan"],
    );
    assert.deepEqual([body.persona, body.skills, body.tasks, body.jobs], ["Atlas", [], [], []]);
    assert.ok(Number(body.revision) >= 3);
    const ledger = (body.tools as Shown[]).find(({ name }) => name === "ledger");
    assert.deepEqual(ledger?.compatibility, {
      persona: null,
      persona_specific: false,
      matches_request: true,
      allowlist: ["Atlas"],
    });
    const words = ["registry", "summary", "--persona", "Atlas", "--json"];
    const { code, json, stderr } = await runCli([
      ...words,
      "--config",
      config,
      "--data-dir",
      directory.path,
    ]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(json().tools, body.tools);
  });

  test("the flags of the command line are the filters of the API", async () => {
    const list = async (...flags: string[]) => {
      const words = ["tools", "list", "--json", "--config", config, "--data-dir", directory.path];
      return runCli([...words, ...flags]);
    };
    const printed = await list(
      "--persona-filter",
      "Atlas",
      "--persona-filter",
      "-shared",
      "--limit",
      "1",
      "--provider",
      "mcp",
      "--version-range",
      "^1",
      "--side-effects",
      "network",
      "--query",
      "plan",
    );
    assert.equal(printed.code, 0, printed.stderr);
    assert.deepEqual(
      (printed.json().tools as Shown[]).map(({ name }) => name),
      ["atlas.plan"],
    );
    const rated = await list(
      "--min-success-rate",
      "80%",
      "--capability",
      "web_search",
      "--safety-level",
      "medium",
    );
    assert.deepEqual(
      (rated.json().tools as Shown[]).map(({ name }) => name),
      ["browser_lookup"],
    );
    const namesOf = async (...flags: string[]) => {
      const { code, stderr, json } = await list(...flags);
      assert.equal(code, 0, stderr);
      return (json().tools as Shown[]).map(({ name }) => name);
    };
    for (const [flags, query] of [
      [["--impact", "reads", "--impact", "writes"], "?impact=reads,writes"],
      [["--impact", "unknown", "--unused", "false"], "?impact=unknown&unused=false"],
      [["--unused"], "?unused=true"],
      [["--overlaid", "--query", "plan"], "?overlaid=true&q=plan"],
      [["--overlaid=false"], "?overlaid=false"],
      [["--quarantined"], "?quarantined=true"],
      [["--quarantined", "no", "--server", "nova"], "?quarantined=false&server=nova"],
    ] as const)
      assert.deepEqual(
        await namesOf("--persona-filter", "Atlas,Nova", ...flags),
        await names(`${query}&persona=Atlas,Nova`),
        flags.join(" "),
      );
    assert.deepEqual(await namesOf("--persona-filter", "Atlas", "--overlaid"), ["atlas.plan"]);
    assert.deepEqual(await namesOf("--unused", "false"), ["browser_lookup", "echo.fail"]);
    assert.match(
      (await list("--unused", "perhaps")).stdout,
      /--unused cannot be 'perhaps': give true or false/,
    );
    const wrong = await list("--side-effects", "wriet");
    assert.equal(wrong.code, 2);
    assert.match(wrong.stdout, /--side-effects cannot be 'wriet'.*Did you mean 'write'/);
  });
});
