import assert from "node:assert/strict";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import { commandLineSource } from "./fixtures/bundled.ts";
import { coreAlone } from "./fixtures/core-alone.ts";
import { temporaryDirectory } from "./fixtures/start-server.ts";
import { processFixture, startCli, writeConfig } from "./scenarios/support.ts";

/** What is published has all packages in one bundle. */
const fromSources = { env: { NODE_OPTIONS: coreAlone }, file: commandLineSource };
const asking = { policy: { rules: [{ tool: "echo.put_*", verdict: "ask" }] } };

async function installation() {
  const directory = await temporaryDirectory();
  const config = await writeConfig(directory, { echo: processFixture("echo") }, asking);
  const place = ["--config", config, "--data-dir", directory.file("data")];
  return {
    run: (...words: string[]) => startCli([...words, ...place], fromSources).result,
    place,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

suite("the core without the packages agent, code and work", { concurrency: 2 }, () => {
  test("the command line lists, finds and calls tools, and names the package that a command needs", async () => {
    await using core = await installation();
    const { stdout } = await core.run("call", "echo.add", "a=1", "b=2");
    assert.match(stdout, /3/);
    const listed = (await core.run("tools", "list", "--json")).json();
    assert.ok((listed.tools as { name: string }[]).some(({ name }) => name === "echo.add"));
    const found = (await core.run("search", "add", "--json")).json();
    assert.equal((found.tools as { name: string }[])[0]?.name, "echo.add");
    for (const [word, name] of Object.entries({ agent: "agent", jobs: "work", code: "code" })) {
      const { code, stderr } = await core.run(word, "list");
      assert.match(stderr, new RegExp(`'${word}' needs the package '${name}'`));
      assert.equal(code, 1, stderr);
    }
    const { extensions } = (await core.run("extensions", "list", "--json")).json();
    const names = (extensions as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => ["agent", "code", "work"].includes(name)),
      [],
    );
    assert.ok(names.includes("search"));
  });

  test("a plane that serves answers over HTTP, asks a person, and names the package that a route needs", async () => {
    await using core = await installation();
    const serveWords = ["serve", "--port", "0", "--json", "--print-pass"];
    const serving = startCli([...serveWords, ...core.place], fromSources);
    const { stdout } = serving.process;
    assert.ok(stdout);
    const [line] = (await once(createInterface(stdout), "line")) as [string];
    const { url, workbench } = JSON.parse(line) as { url: string; workbench: string };
    const [, pass] = workbench.split("#pass=");
    const ask = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${pass}`, accept: "application/json, text/event-stream" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    };
    try {
      const put = { arguments: { key: "k", text: "words" } };
      const held = await ask("POST", "/tools/echo.put_note/call", put);
      assert.equal(held.status, 202, held.text);
      const { approvals } = JSON.parse((await ask("GET", "/approvals")).text);
      const approved = await ask("POST", `/approvals/${approvals[0].id}`, { decision: "approve" });
      assert.match(approved.text, /stored k/);
      const verdict = await ask("POST", "/policy/test", {
        tool: "echo.add",
        arguments: { a: 1, b: 2 },
      });
      assert.equal(verdict.status, 200, verdict.text);
      const refused = await ask("POST", "/agent", { question: "1 + 2?" });
      assert.equal(refused.status, 404, refused.text);
      assert.match(refused.text, /'agent' needs the package 'agent'/);
      const failed = await ask("POST", "/tools/echo.fail/call", { arguments: {} });
      assert.notEqual(failed.status, 500, failed.text);
    } finally {
      serving.process.kill("SIGTERM");
      await serving.result;
    }
  });
});
