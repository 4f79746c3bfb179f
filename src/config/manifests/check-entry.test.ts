import assert from "node:assert/strict";
import { test } from "node:test";
import { checkEntry } from "./check-entry.ts";

const tool = (more: object = {}) => ({
  name: "t",
  description: "T",
  side_effects: "none",
  ...more,
});
const http = (config: object) => ({
  providers: [{ name: "http", config: { url: "https://a.example", ...config } }],
});

test("a tool is given back in its normal form, its references in their places", async () => {
  const headers = { Authorization: "Bearer ${TOKEN}" };
  const { manifest, problems, unusable } = await checkEntry("tool", tool(http({ headers })), {
    TOKEN: "hunter2",
  });
  assert.deepEqual([problems, unusable], [[], []]);
  assert.ok(!JSON.stringify(manifest).includes("hunter2"));
  assert.deepEqual((manifest as { version?: string }).version, "1.0.0");
});

test("a variable that is not set makes a provider unusable and not the tool wrong", async () => {
  const { manifest, problems, unusable } = await checkEntry(
    "tool",
    tool(http({ headers: { X: "${UNSET}" } })),
    {},
  );
  assert.ok(manifest);
  assert.deepEqual([problems.length, unusable.length], [0, 1]);
  assert.match(unusable[0]?.message ?? "", /UNSET is not set/);
});

test("the server of a wrapper may be a variable, which stays one in what is written", async () => {
  const providers = [{ name: "mcp", config: { server: "${SERVER}", tool: "x" } }];
  const { manifest } = await checkEntry("tool", tool({ providers }), { SERVER: "prod" });
  const [spec] = (manifest as { providers: { config: object; written?: object }[] }).providers;
  assert.deepEqual(
    [spec?.config, spec?.written],
    [{ server: "prod", tool: "x" }, providers[0]?.config],
  );
});

const wrong: [title: string, config: object, path: RegExp][] = [
  ["a header", { headers: { Authorization: "Bearer abcdefgh1234" } }, /headers\.Authorization/],
  ["the fallback of a header", { headers: { "X-API-Key": "${KEY:-abcdefgh1234}" } }, /X-API-Key/],
  ["a URL", { url: "https://user:hunter2@a.example" }, /config\.url/],
  ["a query", { url: "https://a.example?api_key=hunter2hunter2" }, /config\.url/],
  ["a key by its shape", { body: { text: "sk-abcdefgh12345678" } }, /body\.text/],
];
for (const [title, config, path] of wrong) {
  test(`a secret in clear in ${title} is refused, also when more is wrong`, async () => {
    for (const more of [{}, { side_effects: "magic" }]) {
      const { problems } = await checkEntry(
        "tool",
        { ...tool(http(config)), ...more },
        { KEY: "x" },
      );
      const found = problems.find(({ message }) => message === "holds a secret in clear");
      assert.match(found?.path ?? "none", path);
    }
  });
}

for (const reference of ["${file:/etc/passwd}", "${command:id}", "${keychain:a/b}"]) {
  test(`a reference to ${reference.slice(2, -1)} is for manifest files only`, async () => {
    const { problems } = await checkEntry("tool", tool(http({ headers: { X: reference } })), {});
    assert.match(problems[0]?.message ?? "", /only manifest files may/);
  });
}

test("names that only look secret are none", async () => {
  const config = {
    query: ["token"],
    argumentMap: { api_key: "key_argument" },
    headers: { Authorization: "${A}" },
  };
  assert.deepEqual((await checkEntry("tool", tool(http(config)), { A: "x" })).problems, []);
});

test("skills, tasks and jobs are held to their own shapes", async () => {
  assert.match((await checkEntry("skill", { name: "s" }, {})).problems[0]?.path ?? "", /version/);
  const task = await checkEntry(
    "task",
    { name: "t", summary: "S", acceptance_criteria: ["done"] },
    {},
  );
  assert.deepEqual([task.problems, task.manifest?.name], [[], "t"]);
  assert.match(
    (await checkEntry("job", {}, {})).problems[0]?.message ?? "",
    /a job needs a 'name'/,
  );
});

test("a secret in clear in what a skill or a job gives out is refused, and a reference to the input is none", async () => {
  const secret = "sk-abcdefgh12345678";
  const skill = { name: "s", version: "1", instruction_prompt: "Do.", safety_notes: "" };
  const steps = (token: string) => [{ id: "a", tool: "t", arguments: { deep: [{ token }] } }];
  const places = async (kind: "skill" | "job", given: object) =>
    (await checkEntry(kind, { ...given }, {})).problems.map(
      ({ path, message }) => `${path} ${message}`,
    );
  const named = { ...skill, required_tools: [], required_capabilities: [] };
  assert.deepEqual(await places("skill", { ...named, steps: steps("${input.token}") }), []);
  assert.deepEqual(await places("skill", { ...named, steps: steps(secret) }), [
    "steps[0].arguments.deep[0].token holds a secret in clear",
  ]);
  const job = { name: "j", personas: ["P"], input: { x: secret } };
  assert.deepEqual(
    await places("job", { ...job, task_graph: [{ task: "t", input: { y: secret } }] }),
    ["input.x holds a secret in clear", "task_graph[0].input.y holds a secret in clear"],
  );
});
