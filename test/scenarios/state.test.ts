import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { startPostgres } from "../fixtures/postgres.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, writeConfig } from "./support.ts";

/** A plane with some history: calls, a question, a change of a plan, a key, a tool that somebody set. */
async function makeHistory(config: string, dataDirectory: string): Promise<void> {
  await using plane = await createPlane({ config, dataDirectory });
  for (const message of ["a", "b", "half \ud800 a character"]) await plane.call("echo.echo", { message });
  await plane.call("echo.put_note", { key: "k", text: "asked" }, { approvalWaitMs: 0 });
  await plane.call("echo.put_note", { key: "k", text: "planned" }, { mode: "plan" });
  await plane.createKey({ name: "ann", user: "ann", scopes: ["call"] });
}

test("an embedded plane grows into a shared one, and back, without losing its history", async () => {
  await using postgres = await startPostgres();
  await using directory = await temporaryDirectory();
  const rules = [{ tool: "echo.put_note", verdict: "ask" }];
  const config = await writeConfig(directory, { echo: fixture("echo") }, { policy: { rules } });
  await makeHistory(config, directory.file("first"));
  const place = (name: string, store?: string) => [
    ...["--config", config, "--data-dir", directory.file(name)],
    ...(store === undefined ? [] : ["--store", store]),
  ];
  const store = postgres.address();
  const run = async (...words: string[]) => {
    const result = await runCli([...words, "--json"]);
    assert.equal(result.code, 0, result.stderr);
    return result.json() as unknown as Record<string, unknown>;
  };
  const files = ["one", "two", "three"].map((name) => directory.file(`${name}.jsonl`)) as [
    string,
    string,
    string,
  ];

  await run("state", "export", files[0], ...place("first"));
  const checked = await run("state", "import", files[0], "--dry-run", ...place("other", store));
  assert.equal(checked.imported, false);
  const taken = await run("state", "import", files[0], ...place("other", store));
  assert.deepEqual([taken.hash, (taken.rows as { calls: number }).calls], [checked.hash, 5]);
  await run("state", "export", files[1], ...place("other", store));
  await run("state", "import", files[1], ...place("third"));
  await run("state", "export", files[2], ...place("third"));
  const [one, two, three] = await Promise.all(files.map((file) => readFile(file, "utf8")));
  assert.equal(two, one);
  assert.equal(three, one);

  const chains = [
    await run("calls", "verify", "--standalone", ...place("first")),
    await run("calls", "verify", "--standalone", ...place("other", store)),
  ];
  assert.deepEqual(chains[1], chains[0]);
  // What goes on there goes on after what was.
  {
    await using plane = await createPlane({ config, dataDirectory: directory.file("other"), store });
    // There is a key by now, so somebody has to be asked.
    assert.equal((await plane.call("echo.echo", { message: "here" })).call.status, "waiting");
    assert.equal((await plane.calls({})).length, 6);
    assert.equal((await plane.verifyCalls()).ok, true);
  }

  const again = await runCli(["state", "import", files[0], ...place("third")]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /has rows in '\w+' already.*--store or --data-dir/);
  await writeFile(files[1], (one ?? "").replace("asked", "other"));
  const changed = await runCli(["state", "import", files[1], ...place("fourth")]);
  assert.equal(changed.code, 2);
  assert.match(changed.stderr, /the hash does not fit/);
});
