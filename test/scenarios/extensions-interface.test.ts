import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createPlane, principalOf } from "../../src/index.ts";
import { projectRoot } from "../fixtures/documents.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { runCli, textsOf } from "./support.ts";

const file = join(projectRoot, "test", "fixtures", "extensions", "interface-1.mjs");
/** It stands for the extensions of others: change the plane until it works again, never the file. */
const frozen = "d41a803392db94ff8f7d0cffdf937c6df32a762614002866139485eaf4a7bdd2";

let seen: unknown[] = [];
const met = (what: string) =>
  seen.filter((entry) => (Array.isArray(entry) ? entry[0] : entry) === what);

test("an extension that was written for interface 1 is set up by this version, and all of it works", async () => {
  assert.equal(createHash("sha256").update(readFileSync(file)).digest("hex"), frozen);
  // The same module that the plane imports.
  ({ seen } = (await import(pathToFileURL(file).href)) as { seen: unknown[] });
  await using directory = await temporaryDirectory();
  const config = directory.file("toolplane.json");
  const write = (word: string) =>
    writeFile(
      config,
      JSON.stringify({
        extensions: [{ use: file, with: { word } }],
        mcpServers: { away: { url: "first://somewhere" } },
        policy: { rules: [{ tool: "second_tool", verdict: "ask" }] },
      }),
    );
  await write("hello");
  {
    await using plane = await createPlane({ config });
    const [shown] = await plane.extensions.list();
    assert.deepEqual([shown?.state, shown?.error, shown?.interface], ["set up", null, 1]);
    assert.deepEqual(shown?.adds, [
      "operation first.run",
      "provider first-provider",
      "transport first",
      "tool source",
      "secrets first",
      "scanner",
      "embedder",
      "ranker",
      "approval channel first-chat",
      "stage around execute",
      "listener of tool.result",
      "listener of all events",
      "panel First",
    ]);
    plane.start();
    await until("its start", () => met("start").length === 1);

    assert.deepEqual(textsOf(await plane.call("first_tool", { word: "one" })).at(-1), "staged");
    assert.deepEqual(met("provider"), [["provider", "value of inner", false, true]]);
    assert.deepEqual(met("stage"), [["stage", "first_tool", "string", ["word"], true]]);
    await until("the event", () => met("event").length > 0);
    assert.deepEqual(textsOf(await plane.call("away.far", {})), ["far away", "staged"]);

    const asked = await plane.call("second_tool", { word: "two" }, { approvalWaitMs: 600_000 });
    assert.equal(asked.ok, true);
    await until("the end of the question", () => met("settled").length > 0);

    const ann = { principal: principalOf({ user: "ann" }) };
    assert.deepEqual(await plane.extensions.run("first.run", { word: "three" }, ann), [
      { word: "three" },
    ]);
    const [verb] = await plane.extensions.operations();
    assert.deepEqual(
      [verb?.changes, verb?.positional, verb?.columns],
      [true, ["word"], { word: "WORD" }],
    );
    assert.equal((await plane.audit.list({}))[0]?.operation, "first.run");

    const found = await plane.search({ query: "says a word back", limit: 5 });
    assert.ok(found.tools.length > 1 && met("ranker").length > 0);
    const [panel] = await plane.extensions.panels();
    assert.deepEqual(
      panel?.facts.map(({ value }) => value),
      ["hello", 1, true, null],
    );

    await write("good evening");
    await plane.reload();
    assert.deepEqual(met("reload"), [["reload", { word: "good evening" }]]);
    assert.equal((await plane.tools.get("third_tool"))?.source, "extension first");
  }
  assert.equal(met("stop").length, 1);
  assert.equal(met("closed").length, 1);
});

test("its format of files is read by this version", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("toolplane.json"), JSON.stringify({ extensions: [file] }));
  await writeFile(
    directory.file("first.json"),
    JSON.stringify({ firstServers: { one: { command: "one" } } }),
  );
  const words = [
    "import",
    directory.file("first.json"),
    "--config",
    directory.file("toolplane.json"),
    "--dry-run",
  ];
  const { code, stdout, stderr } = await runCli(words, { cwd: directory.path });
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /First Desktop/);
});
