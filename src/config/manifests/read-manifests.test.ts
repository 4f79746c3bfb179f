import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { sideEffects } from "../../model/catalogue/tool.ts";
import { findFiles } from "./find-files.ts";
import { readManifests } from "./read-manifests.ts";

const fixtures = fileURLToPath(new URL("../../../test/fixtures/manifests", import.meta.url));

/** Reads files that hold these texts or values. */
async function read(contents: Record<string, unknown>, environment = {}) {
  await using directory = await temporaryDirectory();
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(dirname(directory.file(name)), { recursive: true });
    await writeFile(
      directory.file(name),
      typeof content === "string" ? content : JSON.stringify(content),
    );
  }
  const { files } = findFiles("**/*", directory.path);
  const { manifests, problems } = await readManifests(files, directory.path, environment);
  return {
    manifests,
    problems: problems.map((problem) => ({
      ...problem,
      file: relative(directory.path, problem.file),
    })),
    errors: problems.filter(({ severity }) => severity === "error").map(({ message }) => message),
  };
}

const complete = {
  name: "t",
  description: "T",
  version: "1.0.0",
  parameters: { type: "object" },
  side_effects: "none",
  auth: { required: false },
  allow_parallel: true,
  idempotency_key: false,
};

test("the examples of ATLAS load, and what they leave out is filled in and told", async () => {
  const { files } = findFiles("tools/*.json", fixtures);
  const { manifests, problems } = await readManifests(files, fixtures, {});
  const [lookup, search] = manifests.tools;
  assert.deepEqual(
    [lookup?.name, lookup?.version, lookup?.parameters, lookup?.auth, lookup?.idempotency_key],
    ["browser_lookup", "1.0.0", { type: "object" }, { required: false }, false],
  );
  assert.deepEqual([search?.name, search?.idempotency_key], ["google_search", false]);
  const assumed = problems.map(({ severity, owner, message }) => [
    severity,
    owner,
    message.split("'")[1],
  ]);
  const missing = ["version", "parameters", "auth", "idempotency_key", "idempotency_key"];
  assert.deepEqual(
    assumed,
    missing.map((key) => ["warning", null, key]),
  );
});

test("all kinds are distinguished, and whose they are", async () => {
  const { files } = findFiles("**/*", fixtures);
  const { manifests, problems } = await readManifests(files, fixtures, {});
  assert.deepEqual(
    manifests.tools.map(({ name, persona, source }) => [name, persona, source]),
    [
      ["browser_lookup", undefined, "manifest:tools/browser-lookup.json"],
      ["google_search", undefined, "manifest:tools/google-search.json"],
      ["browser_lookup", "Atlas", "manifest:personas/Atlas/toolbox.yaml"],
    ],
  );
  assert.deepEqual(
    [manifests.skills, manifests.tasks, manifests.jobs].map((list) => list.map(({ name }) => name)),
    [["research"], ["gather", "gather_more"], ["digest"]],
  );
  assert.equal(manifests.jobs[0]?.recurrence?.timezone, "UTC");
  assert.ok(problems.every(({ severity }) => severity === "warning"));
});

test("one manifest, a list and an object by name mean the same", async () => {
  const { name: _, ...nameless } = complete;
  const { manifests } = await read({
    "one.json": { ...complete, name: "a" },
    "list.json": [{ ...complete, name: "b" }],
    "object.json": { c: nameless },
  });
  assert.deepEqual(
    manifests.tools.map(({ name, file: _, source: __, ...rest }) => [name, rest]),
    ["a", "b", "c"].map((name) => [
      name,
      manifests.tools.map(({ name: _, file: __, source: ___, ...rest }) => rest)[0],
    ]),
  );
});

test("every problem is reported with owner, file, line and path, and costs only its entry", async () => {
  const { manifests, problems } = await read({
    "personas/Nova/tools.json": `[\n${JSON.stringify(complete)},\n{"name":"bad","description":"B",\n"side_effects":"magic","default_timeout":-1},\n7\n]`,
    "personas/Nova/broken.yaml": "a: [",
    "empty.json": "",
    "skill.json": { kind: "skill", name: "s", version: "1", colour: "red" },
  });
  assert.deepEqual(
    manifests.tools.map(({ name, persona }) => [name, persona]),
    [["t", "Nova"]],
  );
  const errors = problems.filter(({ severity }) => severity === "error");
  const places = errors.map(({ file, owner, line, path }) => [file, owner, line, path]);
  for (const expected of [
    ["personas/Nova/tools.json", "Nova", 4, "[1].side_effects"],
    ["personas/Nova/tools.json", "Nova", 4, "[1].default_timeout"],
    ["personas/Nova/tools.json", "Nova", 5, "[2]"],
    ["skill.json", null, 1, "instruction_prompt"],
  ]) {
    assert.ok(
      places.some((place) => JSON.stringify(place) === JSON.stringify(expected)),
      `${expected} is not among ${JSON.stringify(places)}`,
    );
  }
  assert.ok(
    errors.some(({ file, owner }) => file === "personas/Nova/broken.yaml" && owner === "Nova"),
  );
  assert.match(errors.find(({ file }) => file === "empty.json")?.hint ?? "", /manifest/);
});

for (const effect of sideEffects) {
  test(`the side effect ${effect} is known`, async () => {
    const { manifests } = await read({ "t.json": { ...complete, side_effects: effect } });
    assert.equal(manifests.tools[0]?.side_effects, effect);
  });
}

test("an unknown side effect is refused with the list of those that are known", async () => {
  const { errors, manifests } = await read({ "t.json": { ...complete, side_effects: "magic" } });
  assert.equal(manifests.tools.length, 0);
  for (const effect of sideEffects) assert.match(errors[0] ?? "", new RegExp(`\\b${effect}\\b`));
});

const owners: [title: string, file: string, keys: object, owner: string | undefined][] = [
  ["a folder of a persona makes it hers", "x/personas/Atlas/y/t.json", {}, "Atlas"],
  ["so does the key 'persona'", "t.json", { persona: "Atlas" }, "Atlas"],
  ["so does the key 'owner'", "t.json", { owner: "Atlas" }, "Atlas"],
  ["the key goes before the folder", "personas/Atlas/t.json", { owner: "Nova" }, "Nova"],
  ["the key can share it", "personas/Atlas/t.json", { owner: null }, undefined],
  ["without either it is shared", "Atlas/t.json", {}, undefined],
];

for (const [title, file, keys, owner] of owners) {
  test(`whose a manifest is: ${title}`, async () => {
    const { manifests } = await read({ [file]: { ...complete, ...keys } });
    assert.deepEqual(
      manifests.tools.map(({ persona }) => persona),
      [owner],
    );
  });
}

test("of two with one name and one owner the first counts, and the other is reported where that is", async () => {
  const { manifests, errors } = await read({
    "a.json": { ...complete, description: "first" },
    "b.json": { ...complete, description: "second" },
    "personas/Atlas/t.json": complete,
  });
  assert.deepEqual(
    manifests.tools.map(({ description, persona }) => [description, persona]),
    [
      ["first", undefined],
      ["T", "Atlas"],
    ],
  );
  assert.match(errors.join(), /defined already in .*a\.json:1/);
});

const base = {
  name: "base",
  summary: "Base",
  acceptance_criteria: ["done"],
  required_tools: ["x"],
};

test("a task builds on another, a persona's on the shared one of its name", async () => {
  const { manifests, errors } = await read({
    "tasks.json": [base, { name: "more", extends: "base", summary: "More" }],
    "personas/Atlas/tasks.json": [{ name: "base", kind: "task", summary: "Of Atlas" }],
  });
  assert.deepEqual(errors, []);
  assert.deepEqual(
    manifests.tasks.map(({ name, persona, summary, required_tools }) => [
      name,
      persona,
      summary,
      required_tools,
    ]),
    [
      ["base", undefined, "Base", ["x"]],
      ["more", undefined, "More", ["x"]],
      ["base", "Atlas", "Of Atlas", ["x"]],
    ],
  );
});

test("a task cannot build on nothing or on itself", async () => {
  const { manifests, errors } = await read({
    "tasks.json": [
      { ...base, extends: "gone" },
      { ...base, name: "a", extends: "b" },
      { ...base, name: "b", extends: "a" },
    ],
  });
  assert.equal(manifests.tasks.length, 0);
  assert.match(errors.join(), /no task 'gone'/);
  assert.match(errors.join(), /build on each other: a → b → a/);
});

test("a job that cannot be scheduled is refused", async () => {
  const job = { name: "j", personas: ["A"], task_graph: [{ task: "t" }] };
  const { manifests, errors } = await read({
    "tasks.json": [{ ...base, name: "t" }],
    "jobs.json": [
      job,
      { ...job, name: "k", recurrence: { frequency: "adhoc" } },
      { ...job, name: "l", personas: [] },
    ],
  });
  assert.deepEqual(
    manifests.jobs.map(({ name }) => name),
    ["j"],
  );
  assert.equal(errors.length, 2);
});

test("a provider whose variable is not set or whose address is none is not used; the others are", async () => {
  const http = (config: object) => ({ name: "http", config });
  const { manifests, problems } = await read(
    {
      "t.json": {
        ...complete,
        providers: [
          http({ url: "https://api.example.org", headers: { Authorization: "Bearer ${NOT_SET}" } }),
          http({ url: "https://{host}/x" }),
          http({ url: "${BASE}/x", headers: { Authorization: "Bearer ${TOKEN}" } }),
        ],
      },
    },
    { BASE: "https://api.example.org", TOKEN: "s3cret" },
  );
  const [unset, noHost, good] = manifests.tools[0]?.providers ?? [];
  assert.match(String(unset?.unusable), /headers\.Authorization.*NOT_SET/);
  assert.match(String(noHost?.unusable), /url/);
  assert.equal(good?.unusable, undefined);
  assert.ok(!JSON.stringify(manifests).includes("s3cret"), "what a variable holds is not kept");
  assert.deepEqual(
    problems.map(({ severity, path }) => [severity, path]),
    [
      ["warning", "providers[0].config.headers.Authorization"],
      ["warning", "providers[1].config.url"],
    ],
  );
});
