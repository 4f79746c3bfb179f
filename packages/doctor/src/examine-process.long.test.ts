import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { suite, test } from "node:test";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import { patientSeconds } from "@toolplane/test/fixtures/patience";
import { fixtureCommand, readLog, temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import { sampleServer } from "@toolplane/test/samples/calls";
import { bundled, translateTools } from "@toolplane/test/samples/core";

import { examineServer } from "./doctor.ts";

type Where = { path?: string; directory?: string; limitMs?: number };

const here = import.meta.dirname;

function examine(settings: Record<string, unknown>, where: Where = {}): Promise<DoctorCheck[]> {
  const { path = process.env.PATH, directory = here, limitMs = 10_000 } = where;
  const options = {
    environment: { PATH: path },
    directory,
    limitMs,
    takeTools: translateTools,
    packages: bundled,
  };
  return examineServer("notes", sampleServer(settings), options);
}

/** The names of all checks, the failed ones marked. */
function outline(checks: DoctorCheck[]): string {
  return checks.map(({ name, ok }) => (ok ? name : `!${name}`)).join(" ");
}

function failure(checks: DoctorCheck[]): { detail: string; fix: string } {
  const failed = checks.filter(({ ok }) => !ok);
  assert.equal(failed.length, 1, JSON.stringify(checks));
  const [{ detail, fix } = { detail: "", fix: null }] = failed;
  return { detail, fix: fix ?? assert.fail(`no fix: ${detail}`) };
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

suite("a server that is a process", { concurrency: 4 }, () => {
  test("a healthy one passes every check, says who it is, and is gone afterwards", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const checks = await examine(fixtureCommand("echo", ["--log", log]));
    assert.equal(outline(checks), "configuration enabled command cwd environment handshake tools");
    assert.ok(checks.every(({ fix }) => fix === null));
    assert.match(checks[5]?.detail ?? "", /fx-echo .*2025-11-25/);
    assert.match(checks[6]?.detail ?? "", /^(\d+) of \1 tools can be called\.$/);
    const pid = readLog(log)[0]?.pid ?? assert.fail("it was not started");
    assert.equal(alive(pid), false);
  });

  test("a server that is switched off is not touched, and that is no failure", async () => {
    const checks = await examine({ command: "/missing", enabled: false });
    assert.equal(outline(checks), "configuration enabled");
    assert.match(checks[1]?.detail ?? "", /'enabled' is false/);
  });

  test("an entry that is out of order ends the examination at once", async () => {
    const options = {
      environment: {},
      directory: here,
      takeTools: translateTools,
      packages: bundled,
    };
    const checks = await examineServer(
      "notes",
      { broken: "env.TOKEN: environment variable X is not set" },
      options,
    );
    assert.equal(outline(checks), "!configuration");
    assert.match(failure(checks).fix, /^Set X, or /);
  });

  test("a command that cannot be run ends the examination before anything is started", async () => {
    await using directory = await temporaryDirectory();
    writeFileSync(directory.file("server.sh"), "");
    for (const command of ["no-such-command", directory.path, directory.file("server.sh")]) {
      const checks = await examine({ command });
      assert.equal(outline(checks), "configuration enabled !command cwd environment", command);
      assert.notEqual(failure(checks).fix, "");
    }
  });

  test("the PATH of the server's own 'env' is the one that counts", async () => {
    const { command, args } = fixtureCommand("echo");
    const own = { command: basename(command), args, env: { PATH: dirname(command) } };
    assert.equal((await examine(own, { path: "/nowhere" })).at(-1)?.ok, true);
    const checks = await examine({ ...own, env: { PATH: "/nowhere" } });
    assert.equal(outline(checks), "configuration enabled !command cwd environment");
  });

  test("a command inside a missing working directory is not blamed", async () => {
    const checks = await examine({ command: "./server", cwd: "/no/such/place" });
    assert.equal(outline(checks), "configuration enabled !cwd environment");
  });

  test("what nothing has filled in is reported, and the rest is looked at all the same", async () => {
    const env = { API_KEY: "", LEVEL: "", MODE: "${env:MODE}" };
    const checks = await examine({ ...fixtureCommand("echo", ["${input:token}"]), env });
    assert.equal(outline(checks), "configuration enabled command cwd !environment handshake tools");
    const { detail, fix } = failure(checks);
    assert.equal(
      detail,
      "env.API_KEY is empty. env.MODE still contains ${env:MODE}, which nothing has filled in. " +
        "args[1] still contains ${input:token}, which nothing has filled in.",
    );
    assert.match(fix, /^Give env\.API_KEY a value/);
  });

  test("an exit at start shows code, last words and the command line, and no secret in any of them", async () => {
    const script = exitAfterTheRequest(3, "bad key hunter22 given");
    const checks = await examine({
      command: process.execPath,
      args: ["-e", script, "--", "--api-key", "hunter33"],
      env: { API_KEY: "hunter22", LEVEL: "two words" },
    });
    assert.equal(outline(checks), "configuration enabled command cwd environment !handshake");
    const { detail, fix } = failure(checks);
    assert.equal(detail, "It exited with code 3. It last wrote:\nbad key [redacted] given");
    assert.match(
      fix,
      /^Run it by hand to see what it says: cd \/.* && API_KEY='\[redacted\]' LEVEL='two words' \/.*node -e /,
    );
    assert.doesNotMatch(JSON.stringify(checks), /hunter/);
  });

  test("a server that fails is compared with the login shell, one that the plane installs is left to it", async () => {
    const options = {
      environment: { PATH: process.env.PATH },
      directory: here,
      takeTools: translateTools,
      packages: bundled,
      loginShell: async () => ({ NODE_EXTRA_CA_CERTS: "/home/ada/corp.pem" }),
    };
    const broken = sampleServer({
      command: process.execPath,
      args: ["-e", exitAfterTheRequest(1, "no")],
    });
    const compared = await examineServer("notes", broken, options);
    assert.equal(
      outline(compared),
      "configuration enabled command cwd environment !handshake !login shell",
    );
    assert.match(
      compared[6]?.detail ?? "",
      /^NODE_EXTRA_CA_CERTS is set in your login shell but not for/,
    );
    const fine = await examineServer("notes", sampleServer(fixtureCommand("echo")), options);
    assert.equal(outline(fine), "configuration enabled command cwd environment handshake tools");
    const installing = { since: "2026-03-01T12:00:00.000Z", lastLine: "fetching" };
    const asked = await examineServer("notes", broken, { ...options, installing });
    assert.equal(outline(asked), "configuration enabled command cwd environment install");
  });

  test("a server that is gone before it is spoken to is reported with the command line", async () => {
    const checks = await examine(fixtureCommand("fault", ["--exit-at-start", "7"]));
    assert.equal(outline(checks), "configuration enabled command cwd environment !handshake");
    assert.match(failure(checks).fix, /^Run it by hand .*--exit-at-start 7$/);
  });

  const complaints: [title: string, said: string, fix: RegExp][] = [
    ["a package npm does not know", "npm error code E404", /name of the package in 'args'/],
    [
      "a missing script",
      "Error: Cannot find module '/x/y.js'",
      /Correct the path in 'args': there is no \/x\/y\.js/,
    ],
    ["a missing package", "Error: Cannot find module 'express'", /Install the package express /],
    [
      "a missing Python module",
      "ModuleNotFoundError: No module named 'mcp'",
      /Install the Python module mcp /,
    ],
    [
      "Docker that does not run",
      "Cannot connect to the Docker daemon at unix:///x",
      /^Start Docker\.$/,
    ],
  ];
  for (const [title, said, fix] of complaints) {
    test(`last words about ${title} are understood`, async () => {
      const args = ["-e", exitAfterTheRequest(1, said)];
      assert.match(failure(await examine({ command: process.execPath, args })).fix, fix);
    });
  }

  test("a reason that stands before a long trace is quoted, and understood", async () => {
    const script = "process.stdin.once('data', () => require('not-there'))";
    const { detail, fix } = failure(
      await examine({ command: process.execPath, args: ["-e", script] }),
    );
    assert.match(detail, /It last wrote:\nError: Cannot find module 'not-there'/);
    assert.match(fix, /^Install the package not-there /);
  });

  test("a server that hangs at the handshake is given up in time, quoted and stopped", async () => {
    await using directory = await temporaryDirectory();
    const pidFile = directory.file("pid");
    const script = `require("fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
      console.error("waiting for the database"); setInterval(() => 0, 1000)`;
    // Enough for it to start and to write something.
    const seconds = patientSeconds(1);
    const entry = { command: process.execPath, args: ["-e", script] };
    const checks = await examine(entry, { limitMs: seconds * 1_000 });
    const { detail, fix } = failure(checks);
    assert.equal(
      detail,
      `It gave no answer within ${seconds} s. It last wrote:\nwaiting for the database`,
    );
    assert.match(fix, /^Run it by hand/);
    assert.equal(alive(Number(readFileSync(pidFile, "utf8"))), false);
  });

  test("a server that writes other things to its standard output is quoted", async () => {
    const script = `console.log("hello"); setInterval(() => 0, 1000)`;
    const seconds = patientSeconds(1);
    const entry = { command: process.execPath, args: ["-e", script] };
    const { detail } = failure(await examine(entry, { limitMs: seconds * 1_000 }));
    assert.equal(
      detail,
      `It wrote 'hello' to stdout, which is not MCP, and gave no answer within ${seconds} s.`,
    );
  });

  test("a script whose interpreter is missing is distinguished from a missing script", async () => {
    await using directory = await temporaryDirectory();
    writeFileSync(directory.file("server"), "#!/no/such/interpreter\n");
    chmodSync(directory.file("server"), 0o755);
    const checks = await examine({ command: directory.file("server") });
    assert.equal(outline(checks), "configuration enabled command cwd environment !handshake");
    assert.match(failure(checks).fix, /^Correct the first line \(#!\) of /);
  });

  test("tools that cannot be used are counted with the first reason", async () => {
    const { ok, detail } = (await examine(fixtureCommand("bad"))).at(-1) ?? assert.fail();
    assert.equal(ok, true);
    assert.match(
      detail,
      /^\d+ of 15 tools can be called\. \d+ cannot be used, first 'entry 2': it has no name\.$/,
    );
  });

  test("filters that let nothing through are named", async () => {
    const { ok, detail } =
      (await examine({ ...fixtureCommand("echo"), allow_tools: [] })).at(-1) ?? assert.fail();
    assert.equal(ok, true);
    assert.match(
      detail,
      /^0 of (\d+) tools can be called\. \1 are kept out by 'allow_tools' and 'deny_tools'\.$/,
    );
  });
});

/** A server that reads what it is sent first, so that its end is its own and not that of its input. */
function exitAfterTheRequest(code: number, said: string): string {
  const say = `console.error(${JSON.stringify(said)});`;
  return `process.stdin.once("data", () => { ${say} process.exitCode = ${code}; process.stdin.destroy(); })`;
}
