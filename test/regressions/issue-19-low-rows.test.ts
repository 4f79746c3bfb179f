import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { errorOf, fixture, planeOf, runCli, startServe, textsOf, writeConfig } from "../scenarios/support.ts";

suite("rows of the requirements", { concurrency: 2 }, () => {
  test("a malformed line is an error event, and the call succeeds", async () => {
    await using plane = await planeOf({ fault: fixture("fault") });
    const told: string[] = [];
    plane.on("server.error", ({ server, message }) => told.push(`${server}: ${message}`));
    assert.deepEqual(textsOf(await plane.call("fault.junk")), ["after the junk"]);
    assert.match(told[0] ?? "", /^fault: Protocol error: malformed line/);
  });

  test("what a tool reports names its server, its tool and the attempts, on every face", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    await using serving = await startServe(config, directory.file("data"));
    const called = await fetch(`${serving.url}/tools/echo.fail/call`, {
      method: "POST",
      headers: { "content-type": "application/json", ...serving.proof },
      body: JSON.stringify({ arguments: {} }),
    });
    const { error } = (await called.json()) as { error: Record<string, unknown> };
    const { code, server, tool, attempts } = error;
    assert.deepEqual([code, server, tool, attempts], ["TOOL_ERROR", "echo", "echo.fail", 1]);
    await using plane = await planeOf({ echo: fixture("echo") });
    const refused = errorOf(await plane.call("echo.echo", {}));
    assert.deepEqual([refused.server, refused.tool, refused.attempts], ["echo", "echo.echo", 0]);
  });

  test("tools of a server that fails stay, marked stale, with its error", async () => {
    await using directory = await temporaryDirectory();
    const server = fixture("echo");
    const [script = "", ...rest] = server.args as string[];
    const source = `import { existsSync } from "node:fs";
      if (existsSync(${JSON.stringify(directory.file("gone"))})) process.exit(3);
      await import(${JSON.stringify(pathToFileURL(script).href)});`;
    await writeFile(directory.file("server.mjs"), source);
    const config = await writeConfig(directory, { echo: { ...server, args: [directory.file("server.mjs"), ...rest] } });
    await using serving = await startServe(config, directory.file("data"));
    const get = async (path: string) =>
      (await fetch(`${serving.url}${path}`)).json() as Promise<Record<string, unknown>>;
    await get("/tools");
    await writeFile(directory.file("gone"), "");
    process.kill(Number((await get("/servers/echo")).pid), "SIGKILL");
    const refreshed = await fetch(`${serving.url}/registry/refresh`, { method: "POST", headers: serving.proof });
    assert.equal(refreshed.status, 200);
    const { tools } = (await get("/tools?q=echo.add")) as {
      tools: { name: string; stale?: boolean; error?: string }[];
    };
    const [add] = tools;
    assert.deepEqual([add?.name, add?.stale, add?.error], ["echo.add", true, (await get("/servers/echo")).error]);
    assert.ok(add?.error);
  });

  test("the changes of tools have those of overlays, with who, why, before and after", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    await using serving = await startServe(config, directory.file("data"));
    const headers = { "content-type": "application/json", ...serving.proof };
    for (const description of ["Says it again.", "Repeats it."]) {
      const body = JSON.stringify({ description, reason: "clearer" });
      assert.ok((await fetch(`${serving.url}/tools/echo.echo`, { method: "PUT", headers, body })).ok);
    }
    const page = await fetch(`${serving.url}/tools/changes?limit=1&name=echo.echo`);
    const { changes, total } = (await page.json()) as { total: number; changes: Record<string, unknown>[] };
    const { what, kind, before, after } = changes[0] ?? {};
    assert.deepEqual([what, kind, total], ["overlay", "changed", 2]);
    assert.notDeepEqual(before, after);
  });

  test("the first failure names every provider with its reason, as the second does", async () => {
    const way = (name: string, config: Record<string, string>) => ({
      name,
      priority: 0,
      health_check_interval: 0,
      config,
    });
    const providers = [way("teleport", {}), way("http", { url: "http://127.0.0.1:9/" })];
    const tool = { name: "lookup", description: "Looks it up.", side_effects: "none" as const, providers };
    const retry = { delayMs: 1 };
    await using plane = await createPlane({ config: { tools: { lookup: tool }, retry } });
    for (const attempts of [2, 0]) {
      const { code, data, attempts: tried } = errorOf(await plane.call("lookup"));
      const reasons = data.providers as Record<string, string>;
      assert.deepEqual([code, Object.keys(reasons).sort(), tried], ["NO_PROVIDER", ["http", "teleport"], attempts]);
      assert.match(reasons.teleport ?? "", /no provider of kind 'teleport' is known/);
      assert.ok(reasons.http);
    }
  });

  test("a server is changed where it is written, and a missing one is a failure", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo", [], { cwd: directory.path }) });
    const edit = (...words: string[]) =>
      runCli(["servers", "edit", ...words, "--config", config, "--data-dir", directory.path]);
    const edited = await edit("echo", "timeoutMs=5000", "env.LEVEL=1", "enabled=false", "cwd=");
    assert.equal(edited.code, 0, edited.stderr);
    const { mcpServers } = JSON.parse(await readFile(config, "utf8"));
    const { timeoutMs, env, enabled, cwd, command } = mcpServers.echo;
    assert.deepEqual([timeoutMs, env.LEVEL, enabled, cwd, command], [5000, "1", false, undefined, process.execPath]);
    const [gone, wrong, unusable] = [
      await edit("ecko", "a=b"),
      await edit("echo", "a"),
      await edit("echo", "timeoutMs=x"),
    ];
    assert.deepEqual([gone.code, wrong.code, unusable.code], [1, 2, 2]);
    assert.match(gone.stderr, /Did you mean 'echo'\?/);
  });
});
