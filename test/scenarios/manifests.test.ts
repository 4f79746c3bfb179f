import assert from "node:assert/strict";
import { once } from "node:events";
import { cp, mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  createPlane,
  type EventOf,
  type EventType,
  type Plane,
  type Principal,
} from "../../src/index.ts";
import { principalOf } from "../../src/model/principal.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  fixture,
  namedServer,
  runCli,
  textsOf,
  writeConfig,
} from "./support.ts";

const manifests = fileURLToPath(new URL("../fixtures/manifests", import.meta.url));
const atlas: Principal = principalOf({ user: "ada", persona: "Atlas" });
const bob: Principal = principalOf({ user: "bob" });
const agreed = { consent: true };
const servers = {
  "browser-server": namedServer("browser-server", ["browser.find"]),
  "atlas-server": namedServer("atlas-server", ["find"]),
};

/** A project with the manifests of the fixtures beside its configuration. */
async function project(directory: TemporaryDirectory): Promise<string> {
  await cp(manifests, directory.file("manifests"), { recursive: true });
  return writeConfig(directory, servers, { manifests: ["manifests/**/*"] });
}

async function put(directory: TemporaryDirectory, name: string, content: unknown): Promise<string> {
  const file = directory.file(name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

function next<T extends EventType>(plane: Plane, type: T): Promise<EventOf<T>> {
  const { promise, resolve } = Promise.withResolvers<EventOf<T>>();
  const stop = plane.on(type, (event) => {
    stop();
    resolve(event);
  });
  return promise;
}

const tool = (name: string, more: object = {}) => ({
  name,
  description: `The tool ${name}`,
  version: "1.0.0",
  parameters: { type: "object" as const },
  side_effects: "none" as const,
  auth: { required: false },
  allow_parallel: true,
  idempotency_key: false,
  ...more,
});

test("the wrapper of the example reaches the tool of its server, and a persona its own in its place", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await createPlane({ config: await project(directory) });
  const reached = async (principal: Principal) =>
    textsOf(await plane.call("browser_lookup", {}, { principal, ...agreed }));
  assert.deepEqual(await reached(bob), ["browser-server:browser.find"]);
  assert.deepEqual(await reached(atlas), ["atlas-server:find"]);

  const listed = async (principal: Principal) => {
    const tools = await plane.tools.list({ principal });
    const found = tools.filter(({ name }) => name === "browser_lookup");
    return found.map(({ persona, metadata, source }) => [persona, metadata.version, source]);
  };
  assert.deepEqual(await listed(bob), [
    [null, "1.0.0", "manifest:manifests/tools/browser-lookup.json"],
  ]);
  assert.deepEqual(await listed(atlas), [
    ["Atlas", "2.0.0", "manifest:manifests/personas/Atlas/toolbox.yaml"],
  ]);
  const { skills, tasks, jobs } = plane.config().fromManifests;
  assert.deepEqual([skills.length, tasks.length, jobs.length], [1, 2, 1]);
});

test("a persona's tool without a shared one is refused to others by name", async () => {
  await using directory = await temporaryDirectory();
  const providers = [{ name: "mcp", config: { server: "atlas-server", tool: "find" } }];
  await put(directory, "m/personas/Atlas/own.json", tool("own", { providers }));
  const config = await writeConfig(directory, servers, { manifests: ["m/**/*.json"] });
  await using plane = await createPlane({ config });
  const outcome = await plane.call("own", {}, { principal: bob });
  assertFailed(outcome, "FORBIDDEN", "refused");
  assert.match(errorOf(outcome).message, /persona 'Atlas'/);
  assert.deepEqual(textsOf(await plane.call("own", {}, { principal: atlas })), [
    "atlas-server:find",
  ]);
});

test("what is filled in is reported and, when strict, refused; an error names owner, file, line and path", async () => {
  await using directory = await temporaryDirectory();
  const config = await project(directory);
  const validate = (...words: string[]) =>
    runCli(["config", "validate", "--config", config, "--json", ...words]);
  const [lenient, strict] = await Promise.all([validate(), validate("--strict")]);
  assert.deepEqual([lenient.code, strict.code], [0, 1]);

  const bad = `[{"name": "bad", "description": "B",\n"side_effects": "magic"}]`;
  const file = await put(directory, "manifests/personas/Nova/tools.json", bad);
  const { code, json } = await validate();
  assert.equal(code, 1);
  const problems = json().problems as { severity: string; message: string }[];
  const [{ message, ...place } = { message: "" }, ...others] = problems.filter(
    ({ severity }) => severity === "error",
  );
  assert.deepEqual(place, {
    file,
    line: 2,
    path: "[0].side_effects",
    owner: "Nova",
    entry: { kind: "tool", name: "bad" },
    severity: "error",
    hint: null,
  });
  assert.match(message, /read_external_service/);
  assert.deepEqual(others, []);
});

test("a new file, an edit and a deletion take effect while the plane runs; a touch changes nothing", async () => {
  await using directory = await temporaryDirectory();
  const file = await put(directory, "m/first.json", tool("first"));
  const config = await writeConfig(directory, {}, { manifests: ["m/*.json"] });
  await using plane = await createPlane({ config, watch: true });
  const names = async () =>
    (await plane.tools.list()).map(({ name, description }) => `${name}: ${description}`);
  const changes: number[] = [];
  plane.on("registry.changed", ({ revision }) => void changes.push(revision));

  const added = next(plane, "config.changed");
  await put(directory, "m/second.json", tool("second"));
  await added;
  assert.deepEqual(await names(), ["first: The tool first", "second: The tool second"]);

  const edited = next(plane, "config.changed");
  await put(directory, "m/first.json", tool("first", { description: "Edited" }));
  await edited;
  assert.deepEqual(await names(), ["first: Edited", "second: The tool second"]);

  const before = changes.at(-1);
  await utimes(file, new Date(), new Date(0));
  // Several times what the watch takes to look; it must be ignored.
  await delay(2_000);
  assert.equal(changes.at(-1), before);

  const removed = next(plane, "config.changed");
  await rm(directory.file("m/second.json"));
  await removed;
  assert.deepEqual(await names(), ["first: Edited"]);
});

test("an edit that breaks a manifest leaves its last good version in force and is reported", async () => {
  await using directory = await temporaryDirectory();
  await put(directory, "m/tools.json", [tool("good"), tool("spoiled")]);
  const config = await writeConfig(directory, {}, { manifests: ["m/*.json"] });
  await using plane = await createPlane({ config });
  await put(directory, "m/tools.json", [tool("good"), tool("spoiled", { side_effects: "magic" })]);
  await plane.reload();
  assert.deepEqual(
    (await plane.tools.list()).map(({ name }) => name),
    ["good", "spoiled"],
  );
  assert.match(plane.config().problems[0]?.path ?? "", /\[1\]\.side_effects/);
});

test("a manifest whose 'auth' is wrong costs only itself; the plane starts", async () => {
  await using directory = await temporaryDirectory();
  await put(directory, "m/bad.json", tool("bad", { auth: { required: "perhaps" } }));
  await put(directory, "m/good.json", tool("good"));
  const config = await writeConfig(directory, {}, { manifests: ["m/*.json"] });
  await using plane = await createPlane({ config });
  assert.deepEqual(
    (await plane.tools.list()).map(({ name }) => name),
    ["good"],
  );
  assert.equal(plane.config().problems[0]?.path, "auth.required");
});

test("a tool that a program registers is there at once, is replaced at once and goes at once", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const parameters = {
    type: "object" as const,
    properties: { n: { type: "number" } },
    required: ["n"],
  };
  const twice = { ...tool("twice"), parameters };
  plane.tools.register({ manifest: twice, run: ({ n }) => ({ answer: Number(n) * 2 }) });
  assert.deepEqual((await plane.call("twice", { n: 4 })).result?.structuredContent, { answer: 8 });
  assertFailed(await plane.call("twice", { n: "x" }), "INVALID_ARGUMENTS", "refused");

  plane.tools.register({ manifest: twice, run: ({ n }) => `${n}${n}` });
  assert.deepEqual(textsOf(await plane.call("twice", { n: 4 })), ["44"]);

  plane.tools.register({
    manifest: twice,
    run() {
      throw new Error("no luck");
    },
  });
  const failed = await plane.call("twice", { n: 4 });
  assertFailed(failed, "PROVIDER_FAILED", "failed");
  assert.match(errorOf(failed).message, /no luck/);

  assert.deepEqual(
    [plane.tools.unregister("twice"), plane.tools.unregister("twice")],
    [true, false],
  );
  assertFailed(await plane.call("twice", { n: 4 }), "TOOL_NOT_FOUND", "refused");
});

test("a registered tool stands before one of the configuration, which is there again afterwards", async () => {
  const providers = [{ name: "mcp", config: { server: "s", tool: "find" } }];
  await using plane = await createPlane({
    config: {
      mcpServers: { s: namedServer("s", ["find"]) },
      tools: { look: tool("look", { providers }) },
    },
  });
  const answer = async (principal = bob) => textsOf(await plane.call("look", {}, { principal }));
  plane.tools.register({ manifest: { ...tool("look"), persona: "Atlas" }, run: () => "for Atlas" });
  assert.deepEqual([await answer(), await answer(atlas)], [["s:find"], ["for Atlas"]]);
  plane.tools.register({ manifest: tool("look"), run: () => "for all" });
  await plane.reload();
  assert.deepEqual([await answer(), await answer(atlas)], [["for all"], ["for Atlas"]]);
  plane.tools.unregister("look");
  plane.tools.unregister("look", { persona: "Atlas" });
  assert.deepEqual([await answer(), await answer(atlas)], [["s:find"], ["s:find"]]);
});

test("a manifest that is not one cannot be registered, and all that is wrong is reported", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const wrong = { ...tool("x"), side_effects: "magic", default_timeout: -1 };
  assert.throws(() => plane.tools.register(wrong as never), {
    code: "CONFIG_INVALID",
    message: /default_timeout[\s\S]*side_effects/,
  });
  assert.deepEqual(await plane.tools.list(), []);
});

test("names may differ at the provider, in arguments and in what is taken of its answer", async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  const config = {
    server: "s",
    tool: "add",
    argumentMap: { a: "left", b: "right" },
    resultPath: "sum",
  };
  const number = { type: "number" };
  const parameters = { type: "object" as const, properties: { left: number, right: number } };
  await using plane = await createPlane({
    config: { mcpServers: { s: fixture("echo", ["--log", log]) } },
  });
  plane.tools.register({ ...tool("plus"), parameters, providers: [{ name: "mcp", config }] });
  const { result } = await plane.call("plus", { left: 2, right: 3 });
  assert.deepEqual(
    [result?.structuredContent, result?.content],
    [5, [{ type: "text", text: "5" }]],
  );
  assert.deepEqual(callsAt(log), [{ name: "add", arguments: { a: 2, b: 3 } }]);
});

test("an HTTP endpoint executes a tool, and its secret is shown to no one", async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push([request.method, request.url, request.headers.authorization]);
    if (request.url?.startsWith("/items/0"))
      return void response.writeHead(404).end("no such item");
    response.setHeader("content-type", "application/json");
    response.end('{"item":{"title":"found"}}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/items/{id}`;
  await using directory = await temporaryDirectory();
  await put(directory, "m/token", "s3cret-token-value\n");
  const headers = { Authorization: "Bearer ${file:token}" };
  const manifest = tool("item", {
    parameters: {
      type: "object",
      properties: { id: { type: "string" }, lang: { type: "string" } },
    },
    providers: [{ name: "http", config: { url, headers, resultPath: "item" } }],
  });
  const file = await put(directory, "m/item.json", manifest);
  const config = await writeConfig(directory, {}, { manifests: ["m/*.json"] });
  await using plane = await createPlane({ config });

  const outcome = await plane.call("item", { id: "a/b", lang: "de" });
  assert.deepEqual(outcome.result?.structuredContent, { title: "found" });
  const refused = await plane.call("item", { id: "0" });
  assert.deepEqual(
    [refused.call.status, textsOf(refused)],
    ["tool_error", ["HTTP 404 Not Found: no such item"]],
  );
  assert.deepEqual(seen, [
    ["GET", "/items/a%2Fb?lang=de", "Bearer s3cret-token-value"],
    ["GET", "/items/0", "Bearer s3cret-token-value"],
  ]);
  const listing = JSON.stringify(await plane.tools.list());
  assert.ok(!listing.includes("s3cret"), "the listing shows the secret");
  assert.ok(!listing.includes(directory.path), "the listing shows where files are");
  assert.match(await readFile(file, "utf8"), /file:token/);

  server.close();
  server.closeAllConnections();
  const lost = await plane.call("item", { id: "1" }, { timeoutMs: 20_000 });
  assert.equal(errorOf(lost).category, "dependency");
});

test("what a listing returned cannot change the registry", async () => {
  await using plane = await createPlane({
    config: { mcpServers: {}, tools: { look: tool("look") } },
  });
  const [listed] = await plane.tools.list();
  assert.throws(() => Object.assign(listed?.metadata ?? {}, { version: "9.9.9" }), TypeError);
  assert.equal((await plane.tools.get("look")).metadata.version, "1.0.0");
});
