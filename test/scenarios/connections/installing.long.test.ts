import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter } from "node:path";
import { suite, test } from "node:test";
import { createPlane, type Plane } from "../../../src/index.ts";
import { principalOf } from "../../../src/model/principal.ts";
import { scaledMs } from "../../fixtures/patience.ts";
import {
  fixtureCommand,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { runCli, startServe, writeConfig } from "../support.ts";

/** An `npx` that installs until it gets a sign, and then is the server. */
async function fakeNpx(directory: TemporaryDirectory, before: string): Promise<string> {
  const { command, args } = fixtureCommand("echo");
  const server = [command, ...args].map((word) => `'${word}'`).join(" ");
  await writeFile(directory.file("npx"), `#!/bin/sh\n${before}\nexec ${server}\n`, { mode: 0o755 });
  return `${directory.path}${delimiter}${process.env.PATH}`;
}

const waitFor = (file: string) => `while [ ! -e '${file}' ]; do sleep 0.05; done`;
const e404 = `cat >&2 <<'END'
npm error code E404
npm error 404 Not Found - GET https://registry.test/no-such-server - Not found
npm error 404
npm error 404  'no-such-server@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /home/ada/.npm/_logs/x.log
END
exit 1`;

const lineOf = async (plane: Plane, server = "fx") =>
  (await plane.servers.get(server)).installing?.lastLine ?? null;

suite("a server that has to be installed first", { timeout: scaledMs(60_000) }, () => {
  test("has its own limit, is shown as installing with the installer's last line, and then works", async () => {
    await using directory = await temporaryDirectory();
    const done = directory.file("done");
    const said = String.raw`printf 'npm warn exec fetching\n\033[31mfetching token=hunter2hunter2 of hidden-one\033[0m\n' >&2`;
    const PATH = await fakeNpx(directory, `${said}\n${waitFor(done)}`);
    const config = await writeConfig(directory, {
      fx: {
        command: "npx",
        args: ["-y", "x"],
        env: { PATH, TOKEN: "hidden-one" },
        connectTimeoutMs: 300,
        idleTimeoutMs: 0,
      },
    });
    await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
    const call = plane.call("fx.echo", { message: "hi" });
    await until("a line of the installer", async () => (await lineOf(plane)) !== null);
    const status = await plane.servers.get("fx");
    assert.equal(status.state, "connecting");
    assert.equal(status.installing?.lastLine, "fetching token=[redacted] of [redacted]");
    assert.ok(Date.parse(status.installing?.since ?? "") <= Date.now());
    const stranger = await plane.servers.get("fx", { principal: principalOf({ user: "ann" }) });
    assert.deepEqual(stranger.installing, { ...status.installing, lastLine: null });
    // Long after the usual limit: only the installer's own one counts.
    const since = Date.parse(status.installing?.since ?? "");
    await until("the end of the usual limit", () => Date.now() - since > 600);
    assert.equal((await plane.servers.get("fx")).state, "connecting");
    await writeFile(done, "");
    assert.equal((await call).ok, true, JSON.stringify((await call).error));
    const after = await plane.servers.get("fx");
    assert.deepEqual([after.state, after.installing], ["connected", undefined]);
  });

  test("that started once before has the usual limit again, unless its installer says something", async () => {
    await using directory = await temporaryDirectory();
    const quiet = directory.file("quiet");
    const loud = directory.file("loud");
    const done = directory.file("done");
    const script = `if [ -e '${loud}' ]; then echo 'fetching again' >&2; fi
if [ -e '${quiet}' ]; then ${waitFor(done)}; fi`;
    const PATH = await fakeNpx(directory, script);
    const entry = { command: "npx", args: ["-y", "x"], env: { PATH } };
    const config = await writeConfig(directory, {
      brief: { ...entry, connectTimeoutMs: 1_000 },
      // However slow this machine is, its installer says something within the usual limit.
      patient: { ...entry, connectTimeoutMs: 120_000 },
    });
    const open = () => createPlane({ config, dataDirectory: directory.file("data") });
    {
      await using plane = await open();
      for (const name of ["brief", "patient"]) await plane.servers.connect(name);
    }
    await writeFile(quiet, "");
    {
      await using plane = await open();
      await assert.rejects(
        plane.servers.connect("brief"),
        /\(initialize\) timed out after .* \('connectTimeoutMs'\)/,
      );
    }
    await writeFile(loud, "");
    await using plane = await open();
    const connected = plane.servers.connect("patient");
    await until(
      "a line of the installer",
      async () => (await lineOf(plane, "patient")) === "fetching again",
    );
    await writeFile(done, "");
    await connected;
  });

  test("and cannot be is reported with the installer's code, its lines and the remedy", async () => {
    await using directory = await temporaryDirectory();
    const count = directory.file("starts");
    const PATH = await fakeNpx(directory, `echo start >> '${count}'\n${e404}`);
    const config = await writeConfig(directory, {
      fx: { command: "npx", args: ["-y", "x"], env: { PATH } },
    });
    await using plane = await createPlane({ config });
    const { error } = await plane.call("fx.echo", {});
    assert.equal(error?.code, "SERVER_UNAVAILABLE");
    assert.match(
      error?.message ?? "",
      /npx could not install it \(E404\)\. Correct the name of the package in 'args'; the registry does not know it\./,
    );
    const { state, stderrTail, installing } = await plane.servers.get("fx");
    assert.deepEqual([state, installing], ["error", undefined]);
    assert.match(
      stderrTail ?? "",
      /npm error code E404 \| .*'no-such-server@\*' is not in this registry\.$/,
    );
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const list = await runCli(["servers", "list", ...place]);
    assert.match(
      list.stdout,
      /error +stdio .*npx could not install it \(E404\)\. Correct the name/,
    );
    const show = await runCli(["servers", "show", "fx", ...place]);
    assert.match(show.stdout, /it wrote +npm error code E404 \| .*is not in this registry\./);
    const doctor = await runCli(["doctor", "fx", ...place]);
    assert.match(
      doctor.stdout,
      /handshake: It exited with code 1\. It last wrote:\n +npm error code E404\n/,
    );
    assert.match(doctor.stdout, /fix: Correct the name of the package in 'args'; the registry/);
  });

  test("that outlasts the limit of installing says which key sets it, and what the installer wrote last", async () => {
    await using directory = await temporaryDirectory();
    const PATH = await fakeNpx(
      directory,
      `echo 'still fetching' >&2\n${waitFor(directory.file("never"))}`,
    );
    const limits = { connectTimeoutMs: 200, installTimeoutMs: 1_500 };
    const entry = { command: "npx", args: ["-y", "x"], env: { PATH }, ...limits };
    const config = await writeConfig(directory, { fx: entry });
    await using plane = await createPlane({ config });
    await until("what the installer wrote", async () => {
      await assert.rejects(
        plane.servers.connect("fx"),
        /installing it timed out after .* s \('installTimeoutMs'\)/,
      );
      return (await plane.servers.get("fx")).stderrTail === "still fetching";
    });
  });

  test("is shown to people who look at a serving plane, and to callers of its tools", async () => {
    await using directory = await temporaryDirectory();
    const done = directory.file("done");
    const PATH = await fakeNpx(directory, `echo 'fetching 12 packages' >&2\n${waitFor(done)}`);
    const config = await writeConfig(directory, {
      fx: { command: "npx", args: ["-y", "x"], env: { PATH } },
    });
    await using serving = await startServe(config, directory.file("data"));
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const line = async () => {
      const answer = await fetch(`${serving.url}/servers/fx`);
      return ((await answer.json()) as { installing?: { lastLine: string } }).installing?.lastLine;
    };
    await until("a line of the installer", async () => (await line()) === "fetching 12 packages");
    const called = fetch(`${serving.url}/tools/fx.echo/call`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ arguments: { message: "hi" } }),
    }).then((answer) => answer.body?.pipeThrough(new TextDecoderStream()));
    const [list, show, doctor] = await Promise.all([
      runCli(["servers", "list", ...place]),
      runCli(["servers", "show", "fx", ...place]),
      runCli(["doctor", "fx", ...place]),
    ]);
    assert.match(list.stdout, /fx +connecting +stdio +- +0 +installing: fetching 12 packages\n/);
    assert.match(show.stdout, /installing since .*, last line: fetching 12 packages/);
    assert.match(
      doctor.stdout,
      /✔ install: npx installs it since .*It last wrote: fetching 12 packages/,
    );
    assert.equal(doctor.code, 0);
    let heard = "";
    for await (const text of (await called) ?? []) {
      heard += text;
      if (!existsSync(done) && heard.includes("event: progress")) await writeFile(done, "");
    }
    assert.match(heard, /event: progress\ndata: .*Server 'fx' is being installed \(\d+ s\)\./);
    assert.match(heard, /event: outcome\ndata: .*"succeeded"/s);
  });
});

test("a server that is known and not running because nothing needs it is idle, until a person disconnects it", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, {
    fx: { ...fixtureCommand("echo"), idleTimeoutMs: 50 },
  });
  await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
  assert.equal(
    (await plane.servers.get("fx")).idle,
    false,
    "what was never started is not known to be fine",
  );
  await plane.tools.list();
  await until("its rest", async () => (await plane.servers.get("fx")).idle);
  const { state: atRest, error } = await plane.servers.get("fx");
  assert.deepEqual([atRest, error], ["disconnected", null]);
  await plane.servers.disconnect("fx");
  const { state, idle: isIdle } = await plane.servers.get("fx");
  assert.deepEqual([state, isIdle], ["disconnected", false]);
});
