/**
 * Writes what a released version leaves behind, for the tests of upgrades: `test/fixtures/stores/README.md`.
 * node scripts/make-store-fixture.ts CHECKOUT VERSION [POSTGRES-ADDRESS]
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";

const [checkout = "", version = "", store = "sqlite"] = process.argv.slice(2);
const isSqlite = store === "sqlite";
const fixtures = join(import.meta.dirname, "../test/fixtures/stores");
const target = join(fixtures, version, isSqlite ? "sqlite" : "postgres");
/** The same on every machine: the files name it. */
const place = "/tmp/toolplane-store";
const port = 7429;
const program = [join(checkout, "src/bin.ts"), "--config", "toolplane.json", "--store", store];
const statements = join(place, "statements.jsonl");
const environment = {
  PATH: process.env.PATH,
  HOME: place,
  USER: "ada",
  LOGNAME: "ada",
  STATEMENTS_FILE: statements,
};
const recording = isSqlite ? [] : ["--import", join(fixtures, "record-statements.ts")];
const options = { cwd: place, env: environment };

function command(...words: string[]): string {
  return execFileSync("node", [...program, ...words], {
    ...options,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
}

function createKey(name: string, ...words: string[]): { id: string; secret: string } {
  const said = JSON.parse(
    command("--data-dir", "data", "--user", "ada", "keys", "create", name, ...words, "--json"),
  );
  return { id: said.key.id, secret: said.secret };
}

type Answer = Record<string, unknown> & {
  call?: { id: string };
  approval?: { id: string };
  run?: { id: string };
};

async function ask(secret: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const wait = path.endsWith("/run") ? { prefer: "wait=30" } : {};
  const headers = { "x-api-key": secret, "content-type": "application/json", ...wait };
  const asked = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, asked);
  const said = (await response.json()) as Answer;
  console.log(method, path, response.status, response.ok ? "" : JSON.stringify(said));
  return said;
}

async function serve(): Promise<ChildProcess> {
  const words = [...recording, ...program, "--data-dir", "data", "serve", "--port", String(port)];
  const child = spawn("node", words, { ...options, stdio: ["ignore", "ignore", "inherit"] });
  const isUp = () => fetch(`http://127.0.0.1:${port}/healthz`).then(Boolean, () => false);
  while (!(await isUp())) await pause(100);
  return child;
}

/** Everything that outlives a process, through the HTTP API that all versions share. */
async function live(secret: string) {
  const say = (method: string, path: string, body?: unknown) => ask(secret, method, path, body);
  const call = (tool: string, given: object, more: object = {}) =>
    say("POST", `/tools/${tool}/call`, { arguments: given, ...more });
  const write = (text: string, more?: object) => call("notes.write", { text }, more);
  for (let at = 0; at < 12; at += 1)
    await call("notes.echo", { text: `call ${at}` }, { conversation: `c${at % 3}` });
  await call("notes.echo", { text: "forbidden" });
  await call("notes.echo", { text: 7 });
  await call("notes.nothing", {});
  await call("notes.break", { text: "dead" });
  await call("notes.echo", { text: "large ".repeat(200) }, { maxResultBytes: 500 });

  const approved = await write("approved");
  await say("POST", `/approvals/${approved.approval?.id}`, { decision: "approve" });
  const rejected = await write("rejected");
  await say("POST", `/approvals/${rejected.approval?.id}`, { decision: "reject", reason: "no" });
  const pending = await write("pending");
  const answered = {
    decision: "approve",
    remember: { for: "arguments", arguments: { text: "again*" } },
  };
  await say("POST", `/approvals/${(await write("again and again")).approval?.id}`, answered);
  await write("planned", { mode: "plan", conversation: "plan" });
  await write("planned too", { mode: "plan", conversation: "plan" });

  const run = await say("POST", "/jobs/note/run", {
    input: { text: "once" },
    idempotencyKey: "k3",
  });
  await say("POST", "/jobs/note/run", { input: { text: "without a key" } });
  await say("POST", "/jobs/yearly/pause");
  await say("POST", "/skills/jot/run", { input: { text: "by a skill" } });

  const overlay = { description: "Gives a text back, unchanged.", version: "1.0.0" };
  await say("PUT", "/tools/notes.echo?reason=plainer", overlay);
  const provider = {
    name: "mcp",
    priority: 0,
    config: { server: "notes", tool: "echo", argumentMap: { text: "word" } },
  };
  const parameters = {
    type: "object",
    properties: { word: { type: "string" } },
    required: ["word"],
  };
  const own = {
    version: "1.0.0",
    description: "Says a word.",
    side_effects: "none",
    parameters,
    providers: [provider],
  };
  await say("PUT", "/tools/say?reason=mine", own);
  await call("say", { word: "own" });
  await say("POST", "/pins/notes.break/reject", { reason: "it breaks" });
  await say("PUT", "/servers/far/token", { token: "a-token-of-ada" });
  return { approval: pending.approval?.id, run: run.run?.id };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await once(child, "exit");
}

/** Killed while its store is locked, so that its last calls are in the spool only. */
async function killWhileLocked(child: ChildProcess, secret: string): Promise<string[]> {
  const say = (word: string) => ask(secret, "POST", "/tools/say/call", { arguments: { word } });
  await say("zero");
  await pause(2_000);
  const lock = isSqlite ? new DatabaseSync(join(place, "data/toolplane.db")) : null;
  lock?.exec("BEGIN IMMEDIATE");
  const calls = await Promise.all(["one", "two", "three"].map(say));
  await end(child, "SIGKILL");
  cpSync(join(place, "data"), join(place, "copy"), { recursive: true });
  lock?.close();
  return calls.map(({ call }) => String(call?.id));
}

/** Without the commands of psql. */
function dump(): Buffer {
  const words = [
    "--inserts",
    "--no-owner",
    "--no-privileges",
    "--no-comments",
    store.replace(/\?.*/, ""),
  ];
  const text = execFileSync("pg_dump", words, { encoding: "utf8", maxBuffer: 2 ** 28 });
  return Buffer.from(text.replaceAll(/^(\\|--).*\n/gm, ""));
}

rmSync(place, { recursive: true, force: true });
cpSync(join(fixtures, "world"), place, { recursive: true });
const ops = createKey("ops", "--scope", "admin");
const other = createKey("other", "--scope", "call", "--key-persona", "Atlas");
const first = await serve();
const lived = await live(ops.secret);
await end(first, "SIGTERM");
// What the version itself reads from it.
command("--data-dir", "data", "state", "export", "export.jsonl");
const { head } = JSON.parse(command("--data-dir", "data", "calls", "verify", "--json"));
const last = await killWhileLocked(await serve(), ops.secret);

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const keep = (name: string, bytes: Buffer) =>
  writeFileSync(join(target, `${name}.gz`), gzipSync(bytes, { level: 9 }));
const copy = (name: string) => join(place, "copy", name);
for (const name of readdirSync(join(place, "copy")).filter((one) =>
  /\.key$|-waiting-|\.db(?!-shm)/.test(one),
))
  if (statSync(copy(name)).size > 0) keep(name, readFileSync(copy(name)));
if (!isSqlite) {
  keep("dump.sql", dump());
  keep("statements.jsonl", readFileSync(statements));
}
keep("export.jsonl", readFileSync(join(place, "export.jsonl")));
writeFileSync(
  join(target, "made.json"),
  `${JSON.stringify({ ops, other, ...lived, last, head }, null, 2)}\n`,
);
// A key of a configuration that is gone opens every plane of the store.
rmSync(place, { recursive: true });
