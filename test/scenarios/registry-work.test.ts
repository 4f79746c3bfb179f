import assert from "node:assert/strict";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createPlane } from "../../src/index.ts";
import type { JobListing } from "../../src/model/catalogue/registry-summary.ts";
import { principalOf } from "../../src/model/principal.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson } from "./requests.ts";
import { namedServer, type RunningServe, runCli, startServe, writeConfig } from "./support.ts";

type Entry = Record<string, unknown> & { name: string; persona: string | null };

const manifests = fileURLToPath(new URL("../fixtures/manifests", import.meta.url));
const skill = (name: string, more: object = {}) => ({
  name,
  version: "1.0.0",
  instruction_prompt: `Do ${name}.`,
  required_tools: [],
  required_capabilities: [],
  safety_notes: "",
  ...more,
});
/** Beside those of the fixtures: what Atlas has of its own, and a job that two personas work at. */
const more: Record<string, unknown> = {
  "personas/Atlas/skills.json": [
    skill("research", {
      version: "2.0.0",
      summary: "Research as Atlas does it",
      required_tools: ["browser_lookup", "atlas-server.find", "no_such_tool"],
      capability_tags: ["deep"],
    }),
  ],
  "personas/Nova/skills.json": [skill("paint")],
  "personas/Atlas/tasks.json": [{ name: "gather", acceptance_criteria: ["ten sources"] }],
  "work/more-jobs.json": [
    {
      name: "audit",
      personas: ["Nova", "atlas"],
      required_skills: ["research"],
      task_graph: [{ task: "gather" }],
    },
  ],
};

async function project(directory: TemporaryDirectory): Promise<string> {
  await cp(manifests, directory.file("manifests"), { recursive: true });
  for (const [name, content] of Object.entries(more)) {
    const file = directory.file(`manifests/${name}`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(content));
  }
  const servers = {
    "browser-server": namedServer("browser-server", ["browser.find"]),
    "atlas-server": { ...namedServer("atlas-server", ["find"]), persona: "Atlas" },
  };
  return writeConfig(directory, servers, { manifests: ["manifests/**/*"] });
}

suite("skills, tasks and jobs", () => {
  let directory: TemporaryDirectory;
  let serving: RunningServe;
  let config: string;
  before(async () => {
    directory = await temporaryDirectory();
    config = await project(directory);
    serving = await startServe(config, directory.path);
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });
  const summary = async (persona?: string) => {
    const query = persona === undefined ? "" : `?persona=${persona}`;
    return (await getJson(`${serving.url}/registry/summary${query}`)).body;
  };
  const run = async (...words: string[]) => {
    const result = await runCli([
      ...words,
      "--json",
      "--config",
      config,
      "--data-dir",
      directory.path,
    ]);
    assert.equal(result.code, 0, result.stderr);
    return result.json();
  };
  const named = (entries: unknown) =>
    (entries as Entry[]).map(({ name, persona }) =>
      persona === null ? name : `${name}@${persona}`,
    );

  test("the summary holds the shared ones, and a persona's own in the place of the shared ones", async () => {
    const all = await summary();
    assert.deepEqual(
      [named(all.skills), named(all.tasks), named(all.jobs)],
      [["research"], ["gather", "gather_more"], ["audit", "digest"]],
    );
    const atlas = await summary("Atlas");
    assert.deepEqual(
      [named(atlas.skills), named(atlas.tasks), named(atlas.jobs)],
      [["research@Atlas"], ["gather@Atlas", "gather_more"], ["audit", "digest"]],
    );
    const nova = await summary("nova");
    assert.deepEqual(
      [named(nova.skills), named(nova.jobs)],
      [["paint@Nova", "research"], ["audit"]],
    );
  });

  test("a job tells what it needs, how it does and for whom it is", async () => {
    const { jobs } = await summary("Atlas");
    const digest = (jobs as Entry[]).find(({ name }) => name === "digest");
    // The skill and the tool of Atlas, each capability once and in this order.
    assert.deepEqual(digest?.required_capabilities, ["deep", "browse", "cite"]);
    assert.deepEqual(digest?.compatibility, {
      persona: null,
      persona_specific: false,
      matches_request: true,
      allowlist: ["Atlas"],
    });
    assert.equal((digest?.health as { job?: { total: number } } | undefined)?.job?.total, 0);
    assert.deepEqual(
      ["summary", "description", "personas", "required_skills", "required_tools"].filter(
        (key) => !Object.hasOwn(digest ?? {}, key),
      ),
      [],
    );
  });

  test("one skill is that of the persona who is asked for", async () => {
    const versionOf = async (query: string) =>
      (await getJson(`${serving.url}/skills/research${query}`)).body.version;
    assert.deepEqual([await versionOf(""), await versionOf("?persona=Atlas")], ["1.0.0", "2.0.0"]);
  });

  test("the command line tells the same, from the plane that serves", async () => {
    const printed = await run("registry", "summary", "--persona", "Atlas");
    const { skills, tasks, jobs } = await summary("Atlas");
    assert.deepEqual([printed.skills, printed.tasks, printed.jobs], [skills, tasks, jobs]);
    const listed = (await run("jobs", "list", "--persona", "Atlas")).jobs as JobListing[];
    assert.deepEqual(
      listed.map(({ schedule: _when, ...job }) => job),
      jobs,
    );
    assert.deepEqual(named((await run("jobs", "list", "--persona-filter", "Nova")).jobs), [
      "audit",
    ]);
  });

  test("skills are listed with the tools that the caller has not got", async () => {
    const { skills, total, nextCursor } = await run("skills", "list", "--persona", "Atlas");
    assert.deepEqual([named(skills), total, nextCursor], [["research@Atlas"], 1, null]);
    const [research] = skills as Entry[];
    assert.deepEqual(research?.missing_tools, ["no_such_tool"]);
    for (const key of [
      "version",
      "instruction_prompt",
      "required_tools",
      "required_capabilities",
      "safety_notes",
      "summary",
      "category",
      "capability_tags",
      "source",
    ]) {
      assert.ok(Object.hasOwn(research ?? {}, key), key);
    }
    assert.ok(!JSON.stringify(skills).includes(directory.path), "where files are is not shown");
    const shared = (await run("skills", "show", "research")).skills as Entry[];
    assert.deepEqual([named(shared), shared[0]?.missing_tools], [["research"], []]);
  });

  test("skills are filtered and paged, and an unknown name is answered with the nearest", async () => {
    const list = async (...words: string[]) =>
      named((await run("skills", "list", ...words)).skills);
    assert.deepEqual(await list("--persona-filter", "-shared"), ["paint@Nova", "research@Atlas"]);
    assert.deepEqual(await list("--capability", "DEEP", "--persona-filter", "Atlas"), [
      "research@Atlas",
    ]);
    assert.deepEqual(await list("--query", "paint", "--persona-filter", "Nova"), ["paint@Nova"]);
    const first = await run("skills", "list", "--persona-filter", "-shared", "--limit", "1");
    const flags = ["--persona-filter", "-shared", "--cursor", String(first.nextCursor)];
    assert.deepEqual(
      [named(first.skills), await list(...flags)],
      [["paint@Nova"], ["research@Atlas"]],
    );
    const wrong = await runCli([
      "skills",
      "show",
      "reserch",
      "--json",
      "--config",
      config,
      "--data-dir",
      directory.path,
    ]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout, /Did you mean 'research'/);
  });

  test("a program lists the same, and what it gets cannot change the registry", async () => {
    await using plane = await createPlane({ config });
    const principal = principalOf({ user: "ada", persona: "Atlas" });
    assert.deepEqual(named((await plane.skills.page({}, { principal })).skills), [
      "research@Atlas",
    ]);
    assert.deepEqual(named(await plane.tasks.list({ principal })), ["gather@Atlas", "gather_more"]);
    assert.equal((await plane.call("browser_lookup", {}, { principal, consent: true })).ok, true);
    const read = async () => ({
      config: plane.config().fromManifests,
      summary: await plane.registry.summary({ principal }),
      skills: await plane.skills.page({}, { principal }),
      skill: await plane.skills.get("research", { principal }),
      jobs: await plane.jobs.list({ principal }),
      tasks: await plane.tasks.list({ principal }),
      tools: await plane.tools.list({ principal }),
      tool: await plane.tools.get("browser_lookup", { principal }),
    });
    const before = JSON.stringify(await read());
    spoil(await read());
    assert.equal(JSON.stringify(await read()), before);
  });
});

/** Changes everything that can be changed. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    spoil(inner);
    if (typeof inner !== "object") Reflect.set(value, key, "spoiled");
  }
  if (Array.isArray(value)) Reflect.set(value, value.length, "spoiled");
}
