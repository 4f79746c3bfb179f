import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { createPlane, narrow, type PlaneCallOptions } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { listed, principalFor, world } from "./access-world.ts";
import {
  assertFailed,
  errorOf,
  fixture,
  namedServer,
  planeOf,
  runCli,
  startServe,
  writeConfig,
} from "./support.ts";

const as = (...[person]: Parameters<typeof principalFor>) => ({ principal: principalFor(person) });

suite("groups of tools and states", () => {
  test("a call and a list mean the default group unless they say another, and only one that is theirs", async () => {
    await using plane = await createPlane({ config: world });
    const call = async (options: PlaneCallOptions) => (await plane.call("kb", {}, options)).ok;
    const names = async (groups: string[]) =>
      (await plane.tools.page({ groups }, as("kim"))).tools.map(({ name }) => name);
    assert.equal(await call(as("kim")), false);
    assert.equal(await call({ ...as("kim"), toolGroups: ["kb"] }), true);
    assert.equal(await call({ ...as("kim"), toolGroups: ["KB"] }), false);
    assert.equal(await call({ toolGroups: "*" }), true, "the person at the machine asks for all");
    assert.deepEqual(await names(["kb"]), ["kb"]);
    assert.deepEqual(await names([]), []);
    const refused = await plane.call("kb", {}, { ...as("bob"), toolGroups: ["default", "kb"] });
    assertFailed(refused, "FORBIDDEN", "refused");
    assert.match(errorOf(refused).message, /tool group 'kb'/);
    await assert.rejects(plane.tools.page({ groups: ["kb"] }, as("bob")), {
      code: "FORBIDDEN",
      message: /'kb'/,
    });
    await assert.rejects(plane.tools.page({ groups: ["*"] }, as("kim")), {
      code: "FORBIDDEN",
      message: /'\*'/,
    });
    const odd = await plane.call("kb", {}, { toolGroups: "kb" as unknown as string[] });
    assertFailed(odd, "USAGE", "refused");
  });

  test("the command line asks for groups and states like any other face", async () => {
    await using directory = await temporaryDirectory();
    const { mcpServers, ...more } = world;
    const config = await writeConfig(directory, { open: mcpServers.open }, more);
    const flags = ["--config", config, "--data-dir", directory.file("data"), "--json"];
    const names = async (...words: string[]) =>
      (
        (await runCli(["tools", "list", ...words, ...flags])).json().tools as { name: string }[]
      ).map(({ name }) => name);
    assert.deepEqual(await names("--tool-group", "kb"), ["kb"]);
    assert.ok((await names("--state", "research")).includes("research"));
    const moved = await runCli(["call", "research", "--state", "research", ...flags]);
    assert.equal(moved.json().call?.state, "analysis");
    const refused = await runCli(["call", "kb", ...flags]);
    assert.deepEqual([refused.code, refused.json().error?.code], [3, "FORBIDDEN"]);
  });

  test("a tool is there in its states, and leads to the next one only when it succeeded", async () => {
    const echo = { name: "mcp", config: { server: "echo", tool: "echo" } };
    const tool = {
      description: "Moves on.",
      side_effects: "none" as const,
      providers: [echo],
      state: "done",
    };
    const parameters = { type: "object", properties: { message: { type: "string" } } };
    await using plane = await createPlane({
      config: {
        mcpServers: { echo: fixture("echo") },
        tools: {
          move: { ...tool, parameters, "applicable-states": ["start"] },
          fail: {
            ...tool,
            parameters,
            providers: [{ ...echo, config: { server: "echo", tool: "no_such" } }],
          },
        },
      },
    });
    const state = async (name: string, options: PlaneCallOptions) =>
      (await plane.call(name, { message: "hi" }, options)).call.state;
    assert.equal(await state("move", { state: "start" }), "done");
    assert.equal(
      await state("move", { state: "done" }),
      "done",
      "refused, the state stays what it is",
    );
    assert.equal(await state("move", {}), "undefined");
    assert.equal(await state("fail", { state: "start" }), "start");
    assert.equal(await state("echo.echo", {}), undefined);
    const names = async (asked: string) =>
      (await plane.tools.page({ state: asked }, {})).tools.map(({ name }) => name);
    assert.ok((await names("start")).includes("move"));
    assert.ok(!(await names("")).includes("move"));
  });
});

suite("what a persona may do with a tool", () => {
  test("depends on the operation, however the arguments are written", async () => {
    await using plane = await createPlane({ config: world });
    const call = async (args: unknown) =>
      (await plane.call("calendar", args, as("clerk"))).error?.code ?? "ok";
    assert.equal(await call({ operation: "read" }), "ok");
    assert.equal(await call({}), "ok", "no operation takes what reading takes");
    for (const operation of ["write", " WRITE", "Write\n"])
      assert.equal(await call({ operation }), "FORBIDDEN", operation);
    assert.equal(await call('{"operation": "write"}'), "FORBIDDEN");
    assert.equal(await call('{"operation": "write"'), "FORBIDDEN", "cut off and completed");
    assert.notEqual(await call({ operation: ["write"] }), "ok");
    assertFailed(
      await plane.call("calendar", { operation: "read" }, as("bob")),
      "FORBIDDEN",
      "refused",
    );
  });
});

suite("a sub-agent", () => {
  test("has all servers of its caller, none, or some, and never one more", async () => {
    await using plane = await createPlane({ config: world });
    const { principal } = as("ann");
    const servers = async (choice: boolean | string[]) =>
      (await listed(plane, narrow(principal, { servers: choice }))).filter((name) =>
        name.includes("."),
      );
    assert.deepEqual(
      await servers(true),
      (await listed(plane, principal)).filter((name) => name.includes(".")),
    );
    assert.deepEqual(await servers(false), []);
    assert.deepEqual(await servers(["hr", "red", "nothing"]), ["hr.pay"]);
    const call = async (tool: string, mcp: PlaneCallOptions["mcp"], who = principal) =>
      (await plane.call(tool, {}, { principal: who, ...(mcp === undefined ? {} : { mcp }) })).error
        ?.code ?? "ok";
    assert.equal(await call("hr.pay", ["hr"]), "ok");
    assert.equal(await call("hr.pay", ["open"]), "TOOL_NOT_FOUND");
    assert.equal(
      await call("wrap_hr", ["open"]),
      "TOOL_NOT_FOUND",
      "also through a tool written by hand",
    );
    assert.equal(
      await call("hr.pay", true, narrow(principal, { servers: false })),
      "TOOL_NOT_FOUND",
    );
    assert.equal(await call("hr.pay", ["hr"], principalFor("bob")), "TOOL_NOT_FOUND");
    assert.equal(await call("hr.pay", "hr" as unknown as string[]), "USAGE");
    const child = { principal: narrow(principal, { servers: ["open"] }) };
    assert.deepEqual(
      (await plane.servers.list(child)).map(({ name }) => name),
      ["open"],
    );
  });
});

suite("a name that several have", () => {
  test("is answered with those that the caller may use", async () => {
    const same = (name: string, more: object = {}) => ({ ...namedServer(name, ["same"]), ...more });
    await using small = await planeOf({
      x: same("x"),
      y: same("y"),
      z: same("z", { groups: ["hr"] }),
    });
    await small.tools.list();
    const error = errorOf(await small.call("same", {}, as("bob")));
    assert.deepEqual([error.code, error.data.candidates], ["TOOL_AMBIGUOUS", ["x.same", "y.same"]]);
  });
});

test("groups and states are set and shown on the command line, and hidden tools are listed on demand", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("toolplane.json");
  await writeFile(file, JSON.stringify({ mcpServers: { echo: fixture("echo") } }));
  const run = (...words: string[]) =>
    runCli([...words, "--config", file, "--data-dir", directory.file("data")]);
  const wrapper = ["--server", "echo", "--tool", "echo"];
  const states = [
    "--tool-group",
    "default",
    "--state",
    "logged-in",
    "--applicable-states",
    "start",
  ];
  const made = await run("tools", "set", "login", ...wrapper, ...states);
  assert.equal(made.code, 0, made.stderr);
  const shown = await run("tools", "show", "login");
  assert.match(
    shown.stdout,
    /groups +default\n[\s\S]*next state +logged-in\n[\s\S]*states +start\n/,
  );
  const listed = await run("tools", "list");
  assert.doesNotMatch(listed.stdout, /login/);
  assert.match(listed.stderr, /1 more tool in other groups or states/);
  assert.match((await run("tools", "list", "--state", "*")).stdout, /^login /m);
  await using serving = await startServe(file, directory.file("data"));
  const page = await fetch(`${serving.url}/tools?state=*&q=login`);
  const { tools } = (await page.json()) as { tools: { name: string }[] };
  assert.ok(tools.some(({ name }) => name === "login"));
  const refused = await run("call", "login", "message=x", "--state", "*");
  assert.notEqual(refused.code, 0, "a call is in one state");
});
