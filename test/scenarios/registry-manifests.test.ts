import assert from "node:assert/strict";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import { sideEffects } from "../../src/model/catalogue/tool.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { namedServer, runCli, writeConfig } from "./support.ts";

const tool = (name: string, more: object = {}) => ({
  name,
  description: `The tool ${name}`,
  version: "1.0.0",
  parameters: { type: "object" },
  side_effects: "none",
  auth: { required: false },
  allow_parallel: true,
  idempotency_key: false,
  ...more,
});
const skill = (version: string) => ({
  name: "research",
  version,
  instruction_prompt: "Find sources.",
  required_tools: [],
  required_capabilities: [],
  safety_notes: "",
});

async function put(directory: TemporaryDirectory, name: string, content: unknown): Promise<string> {
  const file = directory.file(name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(content));
  return file;
}

function revisionsOf(plane: Plane): number[] {
  const seen: number[] = [];
  plane.on("registry.changed", ({ revision }) => void seen.push(revision));
  return seen;
}

test("an edit is one new revision, however much it changes; a touch and a new order of keys are none", async () => {
  await using directory = await temporaryDirectory();
  const file = await put(directory, "m/tools.json", [tool("a"), tool("b"), tool("c")]);
  await put(directory, "m/skills.json", [skill("1.0.0")]);
  const config = await writeConfig(directory, {}, { manifests: ["m/*.json"] });
  await using plane = await createPlane({ config });
  const { revision } = await plane.registry.summary();
  const seen = revisionsOf(plane);

  await utimes(file, new Date(), new Date(0));
  await plane.reload();
  const turned = Object.fromEntries(Object.entries(tool("a")).reverse());
  await put(directory, "m/tools.json", [turned, tool("b"), tool("c")]);
  await plane.reload();
  assert.deepEqual(seen, []);

  await put(directory, "m/tools.json", [
    tool("a", { version: "1.1.0" }),
    tool("b", { version: "2.0.0" }),
  ]);
  await put(directory, "m/skills.json", [skill("2.0.0")]);
  await plane.reload();
  assert.deepEqual(seen, [revision + 1]);

  await put(directory, "m/skills.json", [skill("3.0.0")]);
  await plane.reload();
  assert.deepEqual(seen, [revision + 1, revision + 2]);
  assert.equal((await plane.registry.summary()).revision, revision + 2);
});

test("every side effect is a value that the command line knows and filters by", async () => {
  await using directory = await temporaryDirectory();
  await put(
    directory,
    "m/tools.json",
    sideEffects.map((effect) => tool(`does_${effect}`, { side_effects: effect })),
  );
  const config = await writeConfig(directory, {}, { manifests: ["m/*.json"] });
  const words = ["--json", "--config", config, "--data-dir", directory.path];
  assert.equal((await runCli(["config", "validate", "--strict", ...words])).code, 0);
  await using plane = await createPlane({ config });
  for (const effect of sideEffects) {
    const { tools } = await plane.tools.page({ sideEffects: [effect] });
    assert.deepEqual(
      tools.map(({ name, metadata }) => [name, metadata.side_effects]),
      [[`does_${effect}`, effect]],
    );
  }
  assert.equal(sideEffects.length, 8);
});

test("a list of manifests and an object by name are the same catalogue", async () => {
  await using directory = await temporaryDirectory();
  const a = tool("a");
  const b = tool("b", { version: "2.0.0" });
  const { name: _, ...nameless } = a;
  await put(directory, "list/tools.json", [a, b]);
  await put(directory, "object/tools.json", { a: nameless, b });
  const catalogueOf = async (glob: string) => {
    const config = await writeConfig(directory, {}, { manifests: [glob] });
    await using plane = await createPlane({ config });
    return (await plane.tools.list()).map(({ source: _, ...listed }) => listed);
  };
  assert.deepEqual(await catalogueOf("list/*.json"), await catalogueOf("object/*.json"));
});

test("all that is wrong with manifests is reported at once, with owner, path and message", async () => {
  await using directory = await temporaryDirectory();
  await put(directory, "m/shared.json", [
    tool("x", { side_effects: "magic", default_timeout: -1 }),
  ]);
  await put(directory, "m/personas/Nova/tools.json", [
    tool("y", { parameters: { type: "array" } }),
  ]);
  const config = await writeConfig(directory, {}, { manifests: ["m/**/*.json"] });
  const { code, json } = await runCli(["config", "validate", "--json", "--config", config]);
  const problems = json().problems as { owner: string | null; path: string; message: string }[];
  assert.equal(code, 1);
  assert.deepEqual(
    problems.map(({ owner, path }) => [owner, path]),
    [
      ["Nova", "[0].parameters.type"],
      [null, "[0].default_timeout"],
      [null, "[0].side_effects"],
    ],
  );
  assert.ok(problems.every(({ message }) => message !== ""));
});

test("what a server's configuration says about signing in stands at every tool it lists", async () => {
  const entry = {
    ...namedServer("s", ["ok"]),
    version: "4.2.0",
    auth_env: ["SURELY_NOT_SET"],
    auth_required: true,
  };
  await using plane = await createPlane({ config: { mcpServers: { s: entry } } });
  const { metadata, credentials } = await plane.tools.get("s.ok");
  assert.deepEqual([metadata.version, metadata.auth.required], ["4.2.0", true]);
  assert.deepEqual(credentials, { SURELY_NOT_SET: { required: false, configured: false } });
  assert.equal(
    (await plane.call("s.ok")).ok,
    true,
    "what may be missing keeps no one from calling",
  );
});
