import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { commandLineFile } from "../fixtures/bundled.ts";
import {
  fixtureEnvironment,
  readLog,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { fixture, runCli, writeConfig } from "./support.ts";

const has = (program: string) => spawnSync(program, ["--version"]).status === 0;
const without = (program: string) => !has(program) && `${program} is not installed`;

suite("shell completion", () => {
  let directory: TemporaryDirectory;
  let config = "";
  let where: string[] = [];
  let env: Record<string, string | undefined> = {};

  before(async () => {
    directory = await temporaryDirectory();
    const toolsets = { reading: { providers: ["echo"] } };
    const servers = {
      echo: fixture("echo", ["--log", directory.file("log")]),
      other: fixture("structured"),
    };
    config = await writeConfig(directory, servers, { toolsets });
    where = ["--config", config, "--data-dir", directory.file("data")];
    // A first listing, which completion takes its names from.
    assert.equal((await runCli(["tools", "list", "--json", ...where])).code, 0);
    const program = directory.file("toolplane");
    await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${commandLineFile}" "$@"\n`);
    await chmod(program, 0o755);
    env = { ...fixtureEnvironment(), PATH: `${directory.file(".")}:${process.env.PATH}` };
  });
  after(() => directory[Symbol.asyncDispose]());

  async function candidates(...words: string[]): Promise<string[]> {
    const { code, stdout, stderr } = await runCli(["__complete", ...words]);
    assert.deepEqual([code, stderr], [0, ""]);
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : (line.split("\t")[0] ?? "")));
  }

  test("offers commands, options, their values and names, and starts no server", async () => {
    const pids = new Set(readLog(directory.file("log")).map(({ pid }) => pid));
    assert.deepEqual(await candidates("se"), ["search", "serve", "servers"]);
    assert.ok((await candidates("")).includes("tools"));
    assert.deepEqual(await candidates("codegen", ""), ["types", "client", "cli"]);
    assert.deepEqual(await candidates("mcp", "--mode", "l"), ["lazy"]);
    assert.deepEqual(await candidates("mcp", "--mode=c"), ["--mode=code"]);
    assert.ok((await candidates("tools", "list", "--s")).includes("--server"));
    assert.deepEqual(await candidates(...where, "tools", "list", "--server", ""), [
      "echo",
      "other",
    ]);
    assert.deepEqual(await candidates(...where, "agent", "question", "--toolset", ""), ["reading"]);
    assert.deepEqual(await candidates(...where, "servers", "show", "o"), ["other"]);
    assert.ok((await candidates(...where, "call", "echo.")).includes("echo.echo"));
    assert.deepEqual(await candidates(...where, "call", "echo.add", ""), ["a=", "b=", ":nospace"]);
    assert.deepEqual(await candidates("explain", "TIME"), ["TIMEOUT"]);
    assert.deepEqual(await candidates("tools", "list", "--config", ""), [":files"]);
    assert.deepEqual(await candidates("help", "tools", "li"), ["list", "lint"]);
    assert.deepEqual(await candidates("nonsense", "x", ""), []);
    assert.deepEqual(await candidates("--config", directory.file("missing.json"), "call", ""), []);
    assert.deepEqual(new Set(readLog(directory.file("log")).map(({ pid }) => pid)), pids);
  });

  test("bash completes names, also behind = and :", { skip: without("bash") }, async () => {
    const { stdout: script } = await runCli(["completion", "bash"]);
    const complete = (line: string) => {
      const words = line.split(/([=:])|\s+/).filter((word) => word !== undefined && word !== "");
      if (/\s$|[=:]$/.test(line)) words.push("");
      const quoted = words.map((word) => `'${word}'`).join(" ");
      const text = `${script}
COMP_LINE='${line}' COMP_POINT=${line.length} COMP_WORDS=(${quoted}) COMP_CWORD=${words.length - 1}
_toolplane; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", text], {
        env,
        encoding: "utf8",
      });
      assert.doesNotMatch(stderr.replaceAll(/.*compopt.*\n/g, ""), /./);
      return stdout.trim().split("\n");
    };
    const given = where.join(" ");
    assert.deepEqual(complete("toolplane too"), ["tools"]);
    assert.deepEqual(complete("toolplane tools li"), ["list", "lint"]);
    assert.deepEqual(complete(`toolplane ${given} call echo.ec`), ["echo.echo", "echo.echo_all"]);
    assert.deepEqual(complete(`toolplane ${given} servers show `), ["echo", "other"]);
    assert.deepEqual(complete("toolplane mcp --mode="), ["full", "lazy", "code"]);
  });

  test("zsh takes its script", { skip: without("zsh") }, async () => {
    const { stdout: script } = await runCli(["completion", "zsh"]);
    const { status, stderr } = spawnSync("zsh", ["-f", "-n"], {
      input: script,
      env,
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
  });

  const [fish] = ["fish"] as const;
  test("fish completes names", { skip: without(fish) }, async () => {
    const { stdout: script } = await runCli(["completion", fish]);
    const text = `${script}\ncomplete -C 'toolplane tools li'`;
    const { stdout, stderr } = spawnSync(fish, ["--no-config", "-c", text], {
      env,
      encoding: "utf8",
    });
    assert.match(stdout, /^list\b/m, stderr);
  });

  test("each script asks the hidden word; an unknown shell is said", async () => {
    for (const shell of ["bash", "zsh", "fish", "powershell"]) {
      const { code, stdout } = await runCli(["completion", shell]);
      assert.equal(code, 0);
      assert.match(stdout, /toolplane __complete/);
    }
    const { code, stderr } = await runCli(["completion", "fisch"]);
    assert.equal(code, 2);
    assert.match(stderr, /Did you mean 'fish'\? Known: bash, zsh, fish, powershell/);
    assert.doesNotMatch((await runCli(["--help"])).stdout, /__complete/);
  });
});
