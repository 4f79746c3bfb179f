import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import { sampleServer } from "@toolplane/test/samples/calls";
import {
  type Comparison,
  compareWithShell,
  parseEnvironment,
  readLoginShell,
} from "./login-shell.ts";

function compare(changes: Partial<Comparison> & { server?: Record<string, unknown> }) {
  const { server, ...rest } = changes;
  const definition = sampleServer({ command: "/bin/server", ...server });
  return compareWithShell({
    name: "notes",
    definition,
    plane: {},
    login: {},
    serverWords: "",
    ...rest,
  });
}

suite("a server's environment beside that of a login shell", () => {
  test("a certificate that only the shell knows is named with what to do, and its value is not shown", () => {
    const check = compare({ login: { NODE_EXTRA_CA_CERTS: "/home/ada/corp.pem", EDITOR: "vi" } });
    assert.equal(
      check?.detail,
      "NODE_EXTRA_CA_CERTS is set in your login shell but not for this server.",
    );
    assert.equal(
      check?.fix,
      "Start toolplane from a login shell, or set NODE_EXTRA_CA_CERTS in 'env'.",
    );
  });

  test("a variable that the server asks for and the plane has is to be inherited", () => {
    const check = compare({
      plane: { NOTION_KEY: "hunter2" },
      login: { NOTION_KEY: "hunter2" },
      serverWords: "It exited with code 1. It last wrote:\nError: NOTION_KEY is required",
    });
    assert.match(
      check?.detail ?? "",
      /^NOTION_KEY is set in your login shell but not for this server\.$/,
    );
    assert.equal(check?.fix, "Add NOTION_KEY to 'inheritEnv' of the server.");
    assert.doesNotMatch(JSON.stringify(check), /hunter2/);
  });

  test("a variable that bears the name of the server or its package is named, others are not", () => {
    const login = { GITHUB_TOKEN: "hunter2", AWS_PROFILE: "x", SERVER_NAME: "y" };
    const check = compare({
      server: { args: ["-y", "@modelcontextprotocol/server-github"] },
      login,
    });
    assert.match(check?.detail ?? "", /^GITHUB_TOKEN is set in your login shell/);
    assert.doesNotMatch(check?.detail ?? "", /AWS|SERVER_NAME|hunter2/);
  });

  test("another proxy than in the shell is reported without either value", () => {
    const check = compare({
      server: { env: { HTTPS_PROXY: "http://old.test" } },
      login: { HTTPS_PROXY: "http://new.test" },
    });
    assert.match(check?.detail ?? "", /^HTTPS_PROXY has another value in your login shell/);
    assert.equal(check?.fix, "Correct HTTPS_PROXY in 'env', or remove it there.");
    assert.doesNotMatch(JSON.stringify(check), /\.test/);
  });

  test("a program that only the shell's PATH has is named with its place", async () => {
    await using directory = await temporaryDirectory();
    mkdirSync(directory.file("bin"));
    writeFileSync(directory.file("bin/my-server"), "");
    chmodSync(directory.file("bin/my-server"), 0o755);
    const check = compare({
      server: { command: "my-server" },
      plane: { PATH: "/nowhere" },
      login: { PATH: `/nowhere:${directory.file("bin")}` },
    });
    assert.equal(
      check?.detail,
      `'my-server' is ${directory.file("bin/my-server")} in your login shell and is not found for this server; PATH there also has ${directory.file("bin")}.`,
    );
    assert.match(
      check?.fix ?? "",
      /^Set 'command' to .*my-server, or start toolplane from a login shell\.$/,
    );
  });

  test("the same directories in another order are said to be that, and no empty list", async () => {
    await using directory = await temporaryDirectory();
    for (const name of ["a", "b"]) {
      mkdirSync(directory.file(name));
      writeFileSync(directory.file(`${name}/my-server`), "");
      chmodSync(directory.file(`${name}/my-server`), 0o755);
    }
    const [a, b] = [directory.file("a"), directory.file("b")];
    const check = compare({
      server: { command: "my-server" },
      plane: { PATH: `${a}:${b}` },
      login: { PATH: `${b}:${a}` },
    });
    assert.match(
      check?.detail ?? "",
      /is .*\/a\/my-server for this server; PATH there has another order\.$/,
    );
  });

  test("nothing is reported where nothing that matters is different", () => {
    const same = { PATH: "/bin", HTTPS_PROXY: "http://proxy.test" };
    assert.equal(compare({ plane: same, login: { ...same, EDITOR: "vi", SHLVL: "2" } }), null);
  });

  test("values of several lines are read where NULs stand between the entries", () => {
    assert.deepEqual(parseEnvironment("A=1\nB=2\0C=3\0"), { A: "1\nB=2", C: "3" });
    assert.deepEqual(parseEnvironment("A=1\nnoise\nC=a=b\n"), { A: "1", C: "a=b" });
  });

  test("what the user's own files set is read, whatever else they print", {
    skip: process.platform === "win32",
  }, async () => {
    await using directory = await temporaryDirectory();
    writeFileSync(directory.file(".profile"), 'echo hello; export CORP_CA="two\nlines"\n');
    const found = await readLoginShell({ SHELL: "/bin/sh", HOME: directory.path, SECRET: "x" });
    assert.equal(found?.CORP_CA, "two\nlines");
    assert.equal(
      found?.SECRET,
      undefined,
      "what the plane was started with is none of the shell's own",
    );
  });

  test("a shell that is none, or cannot be started, is no answer", async () => {
    assert.equal(await readLoginShell({ SHELL: "/no/such/shell" }), null);
    assert.equal(await readLoginShell({ SHELL: "/bin/true" }), null);
  });
});
