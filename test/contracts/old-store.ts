import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, suite, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli, startServe } from "../scenarios/support.ts";

const fixtures = join(import.meta.dirname, "../fixtures/stores");
const versions = ["0.1.0", "0.2.0", "0.3.0"];

type Key = { id: string; secret: string };
/** What the version said while it wrote the store. */
type Made = { ops: Key; other: Key; approval: string; run: string; last: string[]; head: string };
type Line = { table: string; row: Record<string, unknown> };
type Body = Record<string, unknown> & {
  [list: string]: { id: string; status: string; decision?: string }[];
};
type Reply = { status: number; body: Body };

export type RestoredStore = {
  /** In the configuration, where it is not the file in the data directory. */
  store?: string;
  /** What the name of a spool begins with. */
  spool: string;
  run(sql: string): Promise<void>;
};

type Kind = "sqlite" | "postgres";
type Restore = (
  version: string,
  data: string,
  files: ReadonlyMap<string, Buffer>,
) => Promise<RestoredStore>;

/** A version ran in `fixtures/stores/world` and was killed. The present one continues with what it left. */
export function oldStoreContract(kind: Kind, restore: Restore): void {
  for (const version of versions)
    suite(`a store of version ${version} on ${kind}`, () => {
      let opened: Opened;
      before(async () => {
        opened = await open(version, kind, restore);
      });
      after(() => opened[Symbol.asyncDispose]());
      for (const [sentence, prove] of Object.entries(promises)) test(sentence, () => prove(opened));
    });
}

type Opened = Awaited<ReturnType<typeof open>>;

async function open(version: string, kind: Kind, restore: Restore) {
  const directory = await temporaryDirectory();
  await cp(join(fixtures, "world"), directory.path, { recursive: true });
  const config = directory.file("toolplane.json");
  const data = directory.file("data");
  await mkdir(data);
  const files = await unpack(join(fixtures, version, kind));
  const { store, spool, run } = await restore(version, data, files);
  await writeSpools(data, spool, files);
  await writeFile(config, JSON.stringify({ ...JSON.parse(await readFile(config, "utf8")), store }));
  const place = ["--config", config, "--data-dir", data];
  const { code, stdout, stderr } = await runCli(["state", "export", "-", ...place]);
  assert.equal(code, 0, stderr);
  // Pins belong to a server in a directory.
  const identity = await identityIn(directory);
  await run(
    `UPDATE pins SET identity = '${identity}'; UPDATE pinned_servers SET identity = '${identity}'`,
  );
  const made = JSON.parse(
    await readFile(join(fixtures, version, kind, "made.json"), "utf8"),
  ) as Made;
  const serving = await startServe(config, data);
  return {
    version,
    directory,
    place,
    made,
    exported: String(files.get("export.jsonl")),
    rows: linesOf(stdout),
    async say(method: string, path: string, body?: unknown, key = made.ops): Promise<Reply> {
      const headers = { "x-api-key": key.secret, prefer: "wait=60" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${serving.url}${path}`, { method, headers, ...sent });
      return { status: response.status, body: (await response.json()) as Body };
    },
    /** What the server was asked to write since. */
    notes: async () =>
      (await readFile(directory.file("notes.txt"), "utf8").catch(() => "")).split("\n"),
    async [Symbol.asyncDispose]() {
      await serving.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

const promises: { [sentence: string]: (opened: Opened) => Promise<void> } = {
  "has every row that the version itself read": async ({ exported, rows }) => {
    const lost = linesOf(exported).filter((line) => !rows.some((row) => isKept(line, row)));
    assert.deepEqual(lost, []);
  },

  "has the calls of the spool, in one chain that holds the old head": async ({
    rows,
    made,
    place,
  }) => {
    const ids = rows.flatMap(({ table, row }) => (table === "calls" ? String(row.id) : []));
    const lost = made.last.filter((id) => !ids.includes(id));
    assert.deepEqual([lost, new Set(ids).size], [[], ids.length]);
    const { code, stdout } = await runCli([
      "calls",
      "verify",
      "--head",
      made.head,
      "--json",
      ...place,
    ]);
    assert.equal(code, 0, stdout);
    const audit = await runCli(["audit", "verify", "--json", ...place]);
    assert.equal(audit.code, 0, audit.stdout);
  },

  "can be imported from the version's own export": async ({ directory, exported, made }) => {
    const file = directory.file("export.jsonl");
    await writeFile(file, exported);
    const into = inNewStore(directory, "imported");
    const { code, stderr } = await runCli(["state", "import", file, ...into]);
    assert.equal(code, 0, stderr);
    const { stdout } = await runCli(["calls", "verify", "--head", made.head, "--json", ...into]);
    assert.equal(JSON.parse(stdout).ok, true, stdout);
  },

  "names the defaults that changed since, and keeps what an admin decides": async ({
    say,
    place,
  }) => {
    const { body } = await say("GET", "/defaults");
    // What the configuration sets needs no decision.
    const open = body.changes?.filter(({ decision }) => decision !== "configured");
    assert.deepEqual([body.madeBy, body.undecided], ["0.3.0", open?.length]);
    const [change] = body.changes ?? [];
    const decided = await say("POST", `/defaults/${change?.id}/accept`);
    assert.deepEqual([decided.status, decided.body.decision], [200, "accept"]);
    const { stdout } = await runCli(["defaults", "list", "--json", ...place]);
    assert.equal(JSON.parse(stdout).undecided, Number(body.undecided) - 1);
  },

  "knows its keys, tokens, tools and decisions on definitions": async ({ say, made }) => {
    const listed = async (path: string, list: string, ...names: string[]) => {
      const { body } = await say("GET", path);
      return body[list]
        ?.map((one) => names.map((name) => Reflect.get(one, name)).join(" "))
        .toSorted();
    };
    assert.deepEqual(await listed("/keys", "keys", "id"), [made.ops.id, made.other.id].toSorted());
    assert.deepEqual(await listed("/tokens", "tokens", "server"), ["far"]);
    assert.equal(
      (await say("GET", "/tools/notes.echo")).body.description,
      "Gives a text back, unchanged.",
    );
    assert.equal(
      (await say("POST", "/tools/say/call", { arguments: { word: "still" } })).body.ok,
      true,
    );
    const pins = ["break rejected", "echo pinned", "read pinned", "write pinned"];
    assert.deepEqual(await listed("/pins?server=notes", "pins", "tool", "status"), pins);
  },

  "lets a call that waits be answered, and no answered one": async ({ say, made, notes }) => {
    const { body } = await say("GET", "/approvals?status=all");
    const answered = body.approvals?.find(({ status }) => status === "rejected");
    assert.equal(
      (await say("POST", `/approvals/${answered?.id}`, { decision: "approve" })).status,
      409,
    );
    const approved = await say("POST", `/approvals/${made.approval}`, { decision: "approve" });
    assert.equal(approved.status, 200);
    assert.ok((await notes()).includes("pending"), JSON.stringify(approved.body));
  },

  "runs the changes of its open plan": async ({ say, notes }) => {
    const { body } = await say("GET", "/plans");
    const approved = await say("POST", `/plans/${body.plans?.[0]?.id}/approve`, {});
    assert.equal(approved.status, 200);
    const changes = (await notes()).filter((note) => note.startsWith("planned"));
    assert.deepEqual(changes, ["planned", "planned too"], JSON.stringify(approved.body));
  },

  "honours the key of a job's request, for the same credential": async ({
    say,
    made,
    notes,
    version,
  }) => {
    const again = { input: { text: "once" }, idempotencyKey: "k3" };
    const { body } = await say("POST", "/jobs/note/run", again);
    assert.equal(Reflect.get(body.run ?? {}, "id"), made.run, JSON.stringify(body));
    assert.ok(!(await notes()).includes("once"));
    // Version 0.1 kept it by user: there is no telling whether another credential means the same request.
    const other = await say("POST", "/jobs/note/run", again, made.other);
    assert.equal(other.status, version === "0.1.0" ? 409 : 200, JSON.stringify(other.body));
    assert.equal(
      Reflect.get((await say("GET", "/jobs/yearly")).body.schedule ?? {}, "state"),
      "paused",
    );
  },

  "has its dead letter, its large result and its history of changes": async ({ say }) => {
    const [letter] = (await say("GET", "/dead-letters")).body.deadLetters ?? [];
    assert.equal(
      (await say("POST", `/dead-letters/${letter?.id}/resolve`, { note: "done" })).status,
      200,
    );
    const [result] = (await say("GET", "/results")).body.results ?? [];
    assert.match(JSON.stringify((await say("GET", `/results/${result?.id}`)).body), /large large/);
    assert.match(JSON.stringify((await say("GET", "/tools/changes?name=say")).body), /mine/);
    assert.equal((await say("GET", "/approvals/remembered")).body.remembered?.length, 1);
  },
};

async function unpack(from: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(from)).filter((name) => name.endsWith(".gz"));
  const unpacked = names.map(
    async (name) => [name.slice(0, -3), gunzipSync(await readFile(join(from, name)))] as const,
  );
  return new Map(await Promise.all(unpacked));
}

/** As old as they are: their process ids may be those of others by now. */
async function writeSpools(
  data: string,
  spool: string,
  files: ReadonlyMap<string, Buffer>,
): Promise<void> {
  const then = new Date(0);
  for (const [name, bytes] of files) {
    const [, rest] = name.split("-waiting-");
    if (rest === undefined) continue;
    const file = join(data, `${spool}-waiting-${rest}`);
    await writeFile(file, bytes, { mode: 0o600 });
    await utimes(file, then, then);
  }
}

function linesOf(exported: string): Line[] {
  const lines = exported
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  return lines.filter(({ table }) => table !== undefined);
}

/** What the version went on to change before it was killed. */
const moving: Readonly<Record<string, readonly string[]>> = {
  api_keys: ["last_used_at"],
  known_servers: ["listed_at", "record"],
  call_minutes: ["calls"],
  samples: ["sequence"],
};

function isKept(old: Line, now: Line): boolean {
  const columns = Object.keys(old.row).filter((name) => !moving[old.table]?.includes(name));
  return now.table === old.table && columns.every((name) => now.row[name] === old.row[name]);
}

function inNewStore(directory: TemporaryDirectory, name: string): string[] {
  return [
    "--config",
    directory.file("toolplane.json"),
    "--store",
    "sqlite",
    "--data-dir",
    directory.file(name),
  ];
}

/** Of the server in this directory, as a new store has it. */
async function identityIn(directory: TemporaryDirectory): Promise<string> {
  const { code, stderr } = await runCli([
    "call",
    "notes.echo",
    "text=hello",
    ...inNewStore(directory, "probe"),
  ]);
  assert.equal(code, 0, stderr);
  const database = new DatabaseSync(directory.file("probe/toolplane.db"));
  try {
    return String(database.prepare("SELECT identity FROM pins LIMIT 1").get()?.identity);
  } finally {
    database.close();
  }
}
