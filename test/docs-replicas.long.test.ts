import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { test } from "node:test";
import { commandLineFile } from "./fixtures/bundled.ts";
import { blocksOf, documents } from "./fixtures/documents.ts";
import { freePort } from "./fixtures/free-port.ts";
import { startPostgres } from "./fixtures/postgres.ts";
import { fixtureEnvironment, temporaryDirectory } from "./fixtures/start-server.ts";
import { until } from "./fixtures/until.ts";

const [page] = documents(["docs/guides/replicas.md"]);

/** Commands and configuration are those of the page; only the database, the server and the port are others. */
test("the commands of docs/guides/replicas.md move a state and start replicas, one of which may end", async () => {
  assert.ok(page);
  await using database = await startPostgres();
  await using directory = await temporaryDirectory();
  const address = new URL(database.address("replicas"));
  const [written] = blocksOf(page, "json");
  const config = (written?.text ?? "")
    .replace(
      /postgres:\/\/[^"]*/,
      `postgres://keeper:\${DATABASE_PASSWORD}@${address.host}/postgres?schema=replicas`,
    )
    .replace(/\{ "url": [^}]*\}/, '{ "command": "toolplane", "args": ["demo"] }');
  assert.match(config, /"demo"[\s\S]*DATABASE_PASSWORD/);
  for (const name of ["home", "work"]) mkdirSync(directory.file(name));
  writeFileSync(directory.file("work/toolplane.json"), config);
  const home = directory.file("home");
  const env = {
    ...fixtureEnvironment(),
    ...{ HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, NO_COLOR: "1" },
    ...{ VAULT_KEY: "ab".repeat(32), DATABASE_PASSWORD: address.password },
  };
  const start = (words: readonly string[]) =>
    spawn(process.execPath, [commandLineFile, ...words], {
      cwd: directory.file("work"),
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
  const run = async (...words: string[]) => {
    const child = start(words);
    const [said, complained, [code]] = await Promise.all([
      readAll(child.stdout),
      readAll(child.stderr),
      once(child, "close"),
    ]);
    assert.equal(code, 0, `${words.join(" ")}\n${said}${complained}`);
    return said;
  };
  await run("call", "wiki.greet", "name=Ann", "--store", "sqlite", "--config", "toolplane.json");
  const commands = blocksOf(page, "sh").flatMap(({ text }) => text.trim().split("\n"));
  const wordsOf = (command: string) => command.split(" ").slice(1);
  const said: string[] = [];
  for (const command of commands.filter((one) => !one.startsWith("toolplane serve")))
    said.push(await run(...wordsOf(command)));
  assert.match(await run("calls", "verify", "--config", "toolplane.json"), /1 call recorded/);
  const [key] = /tp_[\w-]+/.exec(said.join("\n")) ?? [];
  const serving = commands.find((one) => one.startsWith("toolplane serve")) ?? "";
  const headers = { authorization: `Bearer ${key}` };
  const serve = async (name: string) => {
    const port = await freePort();
    const child = start([
      ...wordsOf(serving),
      "--port",
      String(port),
      "--data-dir",
      directory.file(name),
    ]);
    const url = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(`${url}/healthz?ready=true`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until("the replica is ready", isReady);
    return { child, url };
  };
  const replicas = await Promise.all([serve("one"), serve("two")]);
  try {
    const [one, two] = replicas;
    const hasTools = async ({ url }: typeof one) =>
      ((await (await fetch(`${url}/tools`, { headers })).json()) as { total: number }).total > 0;
    assert.deepEqual([await hasTools(one), await hasTools(two)], [true, true]);
    const ended = once(one.child, "close");
    one.child.kill("SIGTERM");
    await until(
      "it is no longer ready",
      async () =>
        !(await fetch(`${one.url}/healthz?ready=true`).then(
          (r) => r.ok,
          () => false,
        )),
    );
    assert.equal(await hasTools(two), true);
    await ended;
  } finally {
    for (const { child } of replicas) child.kill("SIGKILL");
  }
});
