import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { stateTables } from "../../src/model/store.ts";
import { startPostgres } from "../fixtures/postgres.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli } from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

/** A plane with some history: something in every table but those of agents and of what was cleaned up. */
async function makeHistory(config: string, dataDirectory: string): Promise<void> {
  await using plane = await createPlane({ config, dataDirectory });
  await plane.tools.set({ name: "echo.add", description: "Adds, as we say" } as never, {
    reason: "clearer",
  });
  await plane.tokens.set("docs", { token: "very-secret" });
  await plane.call("echo.echo", { message: "large ".repeat(4_000) }, { maxResultBytes: 1_000 });
  assert.equal((await plane.call("broken.slow", {})).ok, false);
  assert.equal((await plane.jobs.run("nightly", { wait: true })).state, "succeeded");
  await plane.jobs.pause("nightly");
  for (const message of ["a", "b", "odd \u0000 \u2028 \u{1f680}"])
    await plane.call("echo.echo", { message });
  await plane.call("echo.put_note", { key: "k", text: "asked" }, { approvalWaitMs: 0 });
  await plane.call("echo.put_note", { key: "k", text: "planned" }, { mode: "plan" });
  await plane.keys.create({ name: "ann", user: "ann", scopes: ["call"] });
}

test("an embedded plane grows into a shared one, and back, without losing its history", async () => {
  await using postgres = await startPostgres();
  await using directory = await temporaryDirectory();
  const rules = [{ tool: "echo.put_note", verdict: "ask" }];
  const servers = {
    echo: fixture("echo"),
    broken: fixture("fault", ["--exit-at-start", "3"]),
    docs: { url: "http://127.0.0.1:9/mcp", auth: { type: "bearer" }, autoConnect: false },
  };
  const steps = [{ id: "say", tool: "echo.echo", arguments: { message: "at night" } }];
  const work = {
    skills: [skill("say", { steps })],
    tasks: [task("speak", ["say"])],
    jobs: [
      {
        name: "nightly",
        personas: ["Atlas"],
        task_graph: [{ task: "speak" }],
        recurrence: { cron: "@daily" },
      },
    ],
  };
  // What waits is sealed with it, in every store.
  const vaultKey = "${file:vault.txt}";
  await writeFile(directory.file("vault.txt"), "0f".repeat(32));
  const config = await workConfig(directory, servers, work, { policy: { rules }, vaultKey });
  await makeHistory(config, directory.file("first"));
  const place = (name: string, store?: string) => [
    "--config",
    config,
    "--data-dir",
    directory.file(name),
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
  assert.equal(taken.hash, checked.hash);
  const empty = Object.keys(stateTables).filter(
    (table) => !Object.hasOwn(taken.rows as object, table),
  );
  assert.deepEqual(empty, [
    "default_decisions",
    "sign_ins",
    "call_checkpoints",
    "audit_checkpoints",
    "roots",
    "remembered",
    "runs",
  ]);
  await run("state", "export", files[1], ...place("other", store));
  await run("state", "import", files[1], ...place("third"));
  await run("state", "export", files[2], ...place("third"));
  const [one, two, three] = await Promise.all(files.map((file) => readFile(file, "utf8")));
  assert.equal(two, one);
  assert.doesNotMatch(one ?? "", /very-secret/);
  assert.equal(three, one);

  const chains = [
    await run("calls", "verify", "--standalone", ...place("first")),
    await run("calls", "verify", "--standalone", ...place("other", store)),
  ];
  assert.deepEqual(chains[1], chains[0]);
  // What goes on there goes on after what was.
  {
    await using plane = await createPlane({
      config,
      dataDirectory: directory.file("other"),
      store,
    });
    // There is a key by now, so a person has to be asked.
    assert.equal((await plane.call("echo.echo", { message: "here" })).call.status, "waiting");
    const before = (taken.rows as { calls: number }).calls;
    assert.equal((await plane.calls.list({})).length, before + 1);
    assert.equal((await plane.jobs.history("nightly")).runs.length, 1);
    assert.equal((await plane.deadLetters.page()).total, 1);
    assert.equal((await plane.calls.verify()).ok, true);
  }

  const again = await runCli(["state", "import", files[0], ...place("third")]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /has rows in '\w+' already.*--store or --data-dir/);
  await writeFile(files[1], (one ?? "").replace("at night", "at noon"));
  const changed = await runCli(["state", "import", files[1], ...place("fourth")]);
  assert.equal(changed.code, 2);
  assert.match(changed.stderr, /the hash does not match/);
});
