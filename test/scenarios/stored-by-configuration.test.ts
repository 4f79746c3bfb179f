import assert from "node:assert/strict";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { suite, test } from "node:test";
import { appliesHere } from "../../src/catalogue/catalogue.ts";
import { createPlane, type Plane } from "../../src/index.ts";
import type { WrittenManifest } from "../../src/model/catalogue/tool.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { namedServer, runCli, type ServerEntry } from "./support.ts";

type Directory = Awaited<ReturnType<typeof temporaryDirectory>>;

/** A project with a server `notes` of its own, and the data directory that all projects of a person have. */
async function project(directory: Directory, name: string, servers: Record<string, ServerEntry>) {
  const config = directory.file(`${name}/toolplane.json`);
  await mkdir(dirname(config), { recursive: true });
  await writeFile(config, JSON.stringify({ mcpServers: servers }));
  return config;
}

function open(directory: Directory, config: string): Promise<Plane> {
  return createPlane({ config, dataDirectory: directory.file("data") });
}

async function entriesOf(plane: Plane) {
  const { entries } = await plane.registry.entries({ everywhere: true });
  return entries.map(({ name, origin, inForce }) => [name, origin, inForce]);
}

const overlay = {
  name: "notes.put",
  description: "Writes a note.",
  side_effects: "none",
  arguments: [{ name: "danger", fixed: true }],
} satisfies WrittenManifest;

const disabled = { ...overlay, enabled: false };

const lookup = {
  name: "lookup",
  description: "Looks up.",
  side_effects: "none",
  providers: [{ name: "mcp", config: { server: "notes", tool: "put" } }],
} satisfies WrittenManifest;

suite("what people set belongs to the configuration that it was set in", () => {
  test("an overlay and a tool of one project reach no server of the same name in another", async () => {
    await using directory = await temporaryDirectory();
    const servers = { notes: namedServer("notes", ["put"]) };
    const [first, second] = [
      await project(directory, "first", servers),
      await project(directory, "second", servers),
    ];
    {
      await using plane = await open(directory, first);
      await plane.tools.set(overlay);
      await plane.tools.set(lookup);
      assert.equal((await plane.tools.get("notes.put")).metadata.side_effects, "none");
    }
    {
      await using plane = await open(directory, second);
      const tool = await plane.tools.get("notes.put");
      assert.notEqual(tool.description, overlay.description);
      assert.notEqual(tool.metadata.side_effects, "none");
      assert.ok(!tool.injects.includes("danger"));
      const names = (await plane.tools.list()).map(({ name }) => name);
      assert.ok(!names.includes("lookup"), names.join());
      assert.deepEqual(await entriesOf(plane), [
        ["notes.put", "elsewhere", false],
        ["lookup", "elsewhere", false],
      ]);
      const { changes } = await plane.registry.changes();
      assert.ok(!changes.some(({ name }) => name === "lookup"), "nor is it in the history");
    }
    await using again = await open(directory, first);
    assert.equal((await again.tools.get("notes.put")).metadata.side_effects, "none");
    assert.ok((await again.tools.list()).some(({ name }) => name === "lookup"));
  });

  test("each project has its own of one name, and what is for all is in force until it does", async () => {
    await using directory = await temporaryDirectory();
    const servers = { notes: namedServer("notes", ["put"]) };
    const first = await project(directory, "first", servers);
    const second = await project(directory, "second", servers);
    await using one = await open(directory, first);
    await using other = await open(directory, second);
    await one.tools.set({ ...lookup, description: "For all." }, { forAll: true });
    await one.tools.set({ ...lookup, description: "The first's." });
    await other.registry.entries();
    const seenBy = async (plane: Plane) => (await plane.tools.get("lookup")).description;
    await using third = await open(directory, second);
    await third.registry.entries();
    assert.equal(await seenBy(third), "For all.");
    await third.tools.set({ ...lookup, description: "The second's." });
    assert.deepEqual([await seenBy(one), await seenBy(third)], ["The first's.", "The second's."]);
    assert.equal(await third.tools.delete("lookup"), true);
    assert.equal(await seenBy(third), "For all.");
    assert.equal(await seenBy(one), "The first's.");
  });

  test("a tool that is disabled for all is enabled for one configuration alone", async () => {
    await using directory = await temporaryDirectory();
    const servers = { notes: namedServer("notes", ["put"]) };
    const first = await project(directory, "first", servers);
    const second = await project(directory, "second", servers);
    {
      await using plane = await open(directory, first);
      await plane.tools.set(disabled, { forAll: true });
    }
    {
      await using plane = await open(directory, second);
      assert.deepEqual(await plane.tools.enable(["notes.put"]), { changed: ["notes.put"] });
      assert.equal((await plane.call("notes.put")).ok, true);
      await plane.tools.disable(["notes.put"]);
      assert.equal((await plane.call("notes.put")).ok, false);
    }
    await using plane = await open(directory, first);
    assert.equal((await plane.call("notes.put")).ok, false);
  });

  test("a renamed file keeps what was set, and what a moved project left is taken over by name", async () => {
    await using directory = await temporaryDirectory();
    const servers = { notes: namedServer("notes", ["put"]) };
    const config = await project(directory, "first", servers);
    {
      await using plane = await open(directory, config);
      await plane.tools.set(overlay);
    }
    const renamed = directory.file("first/other.json");
    await rename(config, renamed);
    {
      await using plane = await open(directory, renamed);
      assert.equal((await plane.tools.get("notes.put")).description, overlay.description);
    }
    await rename(directory.file("first"), directory.file("moved"));
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    await using plane = await open(directory, directory.file("moved/other.json"));
    assert.deepEqual(await entriesOf(plane), [["notes.put", "gone", false]]);
    assert.match((await warned).message, /'notes.put' belong to .*which is gone.*registry adopt/);
    assert.notEqual((await plane.tools.get("notes.put")).description, overlay.description);
    await plane.registry.adopt(config, { reason: "it was moved" });
    assert.equal((await plane.tools.get("notes.put")).description, overlay.description);
    assert.deepEqual(await entriesOf(plane), [["notes.put", "here", true]]);
    await assert.rejects(plane.registry.adopt(config), /Nothing that was set by hand/);
  });

  test("the command line lists what applies here and from where", async () => {
    await using directory = await temporaryDirectory();
    const servers = { notes: namedServer("notes", ["put"]) };
    const first = await project(directory, "first", servers);
    const second = await project(directory, "second", servers);
    const file = directory.file("lookup.json");
    await writeFile(file, JSON.stringify(lookup));
    const data = ["--data-dir", directory.file("data")];
    const set = await runCli(["tools", "set", file, "--config", first, ...data]);
    assert.equal(set.code, 0, set.stderr);
    const here = await runCli(["registry", "entries", "--config", first, ...data]);
    assert.match(here.stdout, /tool +lookup +stored +this configuration +yes/);
    const elsewhere = await runCli(["registry", "entries", "--config", second, ...data]);
    assert.match(elsewhere.stdout, /Nothing is written by hand/);
    const all = await runCli(["registry", "entries", "--everywhere", "--config", second, ...data]);
    assert.match(all.stdout, /lookup +stored +\S*first\/toolplane\.json +no/);
  });

  test("jobs of one name are paused and due in each configuration by themselves", async () => {
    await using directory = await temporaryDirectory();
    const work = [
      {
        kind: "task",
        name: "tidy",
        summary: "Tidy up.",
        required_skills: [],
        acceptance_criteria: ["Tidy."],
      },
      {
        kind: "job",
        name: "nightly",
        summary: "Every night.",
        personas: ["Clerk"],
        task_graph: [{ task: "tidy" }],
        recurrence: { frequency: "daily" },
      },
    ];
    const projectWithJob = async (name: string) => {
      const config = await project(directory, name, {});
      await writeFile(directory.file(`${name}/work.json`), JSON.stringify(work));
      await writeFile(config, JSON.stringify({ mcpServers: {}, manifests: ["work.json"] }));
      return config;
    };
    const first = await projectWithJob("first");
    const second = await projectWithJob("second");
    const stateIn = async (config: string) => {
      await using plane = await open(directory, config);
      return (await plane.jobs.page()).jobs.map(({ name, schedule }) => [name, schedule.state]);
    };
    {
      await using plane = await open(directory, first);
      await plane.jobs.pause("nightly");
    }
    assert.deepEqual(await stateIn(first), [["nightly", "paused"]]);
    assert.deepEqual(await stateIn(second), [["nightly", "scheduled"]]);
  });

  test("what is run later is not run by another configuration that has a server of that name", async () => {
    const run = { files: ["/a/toolplane.json"] };
    const here = { own: ["/b/toolplane.json"], files: ["/b/toolplane.json"] };
    const there = { own: ["/a/toolplane.json"], files: ["/a/toolplane.json"] };
    await using directory = await temporaryDirectory();
    const config = await project(directory, "first", {});
    assert.equal(appliesHere({ files: [config] }, here), false);
    assert.equal(appliesHere(run, there), true);
    assert.equal(appliesHere({}, here), true, "an earlier version did not keep them apart");
    assert.equal(appliesHere(run, null), true, "planes on one database share their work");
  });

  test("servers of one name have a health each", async () => {
    await using directory = await temporaryDirectory();
    const first = await project(directory, "first", { notes: namedServer("notes", ["put"]) });
    const second = await project(directory, "second", { notes: namedServer("notes", ["put"]) });
    const runs = async (config: string) => {
      await using plane = await open(directory, config);
      return (await plane.tools.get("notes.put")).health.total;
    };
    {
      await using plane = await open(directory, first);
      await plane.call("notes.put");
    }
    assert.deepEqual([await runs(first), await runs(second)], [1, 0]);
  });
});
