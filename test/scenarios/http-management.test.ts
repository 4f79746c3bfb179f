import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { createApp } from "../../src/faces/http/app.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson, postCall } from "./requests.ts";
import {
  callsAt,
  fixture,
  namedServer,
  planeOf,
  runCli,
  startServe,
  writeConfig,
} from "./support.ts";

type Body = Record<string, unknown>;

async function send(url: string, method: string, body?: unknown, key?: string) {
  const response = await fetch(url, {
    method,
    headers: key === undefined ? {} : { "x-api-key": key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

const passOf = ({ workbench }: { workbench: string }) => workbench.split("#pass=")[1];

suite("managing a plane over HTTP", () => {
  test("refreshing really asks every server, and tells what came of each", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      echo: fixture("echo", ["--log", log]),
      missing: { command: "no-such-command-anywhere" },
      off: { ...namedServer("off", ["one"]), enabled: false },
    });
    await using serving = await startServe(config, directory.file("data"));
    assert.equal((await getJson(`${serving.url}/tools/echo.echo`)).status, 200);
    const listings = () => readFileSync(log, "utf8").split('"tools/list"').length - 1;
    const before = listings();
    const { status, body } = await send(
      `${serving.url}/registry/refresh`,
      "POST",
      undefined,
      passOf(serving),
    );
    assert.equal(status, 200);
    assert.ok(listings() > before, "it was asked again");
    const named = (key: string) =>
      (body[key] as (string | { server: string })[]).map((one) =>
        typeof one === "string" ? one : one.server,
      );
    assert.ok(named("attempted").includes("echo"), JSON.stringify(body));
    assert.deepEqual(
      [...named("still_failed"), ...named("skipped")].sort(),
      ["missing", "off"],
      JSON.stringify(body),
    );
  });

  test("a model that could not be used is not written, and the answer says why", async (t) => {
    process.env.MODEL_KEY = "key-of-the-model-1";
    t.after(() => Reflect.deleteProperty(process.env, "MODEL_KEY"));
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {});
    await using serving = await startServe(config, directory.file("data"));
    const before = readFileSync(config, "utf8");
    const put = (definition: object, name = "default") =>
      send(`${serving.url}/models/${encodeURIComponent(name)}`, "PUT", definition, passOf(serving));
    const good = { baseURL: "http://127.0.0.1:9/v1", model: "large" };
    const refused: [object, RegExp][] = [
      [{ ...good, apiKey: "${NOT_SET_ANYWHERE}" }, /variable NOT_SET_ANYWHERE is not set/],
      [
        { ...good, baseURL: "file:///etc/passwd" },
        /models\.default\.baseURL: must be an address that begins with http/,
      ],
      [{ ...good, baseURL: "javascript:alert(1)" }, /baseURL/],
      [{ ...good, apiKey: "${exec:touch /tmp/it}" }, /apiKey/],
      [{ ...good, apiKey: 7 }, /apiKey/],
      [{ baseURL: good.baseURL }, /model/],
      [{ ...good, headers: {} }, /headers/],
      [{}, /model/],
    ];
    for (const [definition, why] of refused) {
      const { status, body } = await put(definition);
      assert.deepEqual([status, body.code], [400, "USAGE"], JSON.stringify([definition, body]));
      assert.match(String(body.detail), why);
      assert.equal(readFileSync(config, "utf8"), before);
    }
    assert.equal((await send(`${serving.url}/models/default`, "PUT", good)).status, 403);
    for (const name of ["default", "__proto__", "a/b"]) {
      const { status, body } = await put({ ...good, apiKey: "${MODEL_KEY}" }, name);
      assert.deepEqual(
        [status, (body.models as string[]).includes(name)],
        [200, true],
        JSON.stringify(body),
      );
    }
    const { body } = await send(`${serving.url}/audit`, "GET", undefined, passOf(serving));
    assert.doesNotMatch(JSON.stringify(body) + readFileSync(config, "utf8"), /key-of-the-model-1/);
  });

  test("a server is written into the configuration and taken out again by who can prove to be an admin", async () => {
    await using directory = await temporaryDirectory();
    const policy = { profile: "personal" };
    const config = await writeConfig(directory, { echo: fixture("echo") }, { policy });
    await using serving = await startServe(config, directory.file("data"));
    const entry = namedServer("late", ["hello"]);
    const late = `${serving.url}/servers/late`;
    const refused = await send(late, "PUT", entry);
    assert.deepEqual([refused.status, refused.body.code], [403, "FORBIDDEN"]);
    assert.match(String(refused.body.detail), /keys create/);
    const own = await send(`${serving.url}/keys`, "POST", { name: "root", scopes: ["admin"] });
    assert.deepEqual(
      [own.status, own.body.code],
      [403, "FORBIDDEN"],
      "no one gives themselves a key",
    );
    const place = ["--json", "--config", config, "--data-dir", directory.file("data")];
    const made = await runCli(["keys", "create", "root", "--scope", "admin", ...place]);
    const key = String(made.json().secret);

    const added = await send(late, "PUT", entry, key);
    assert.equal(added.status, 200, JSON.stringify(added.body));
    const called = await send(`${serving.url}/tools/late.hello/call`, "POST", {}, key);
    assert.equal(called.status, 200, JSON.stringify(called.body));
    const written = () =>
      (JSON.parse(readFileSync(config, "utf8")) as { mcpServers: Body }).mcpServers;
    assert.deepEqual(written().late, entry);

    const replaced = await send(late, "PUT", namedServer("late", ["goodbye"]), key);
    assert.equal(replaced.status, 200, JSON.stringify(replaced.body));
    assert.equal(
      (await send(`${serving.url}/tools/late.goodbye/call`, "POST", {}, key)).status,
      200,
    );

    const nothing = await send(late, "PUT", { description: "no way to reach it" }, key);
    assert.deepEqual([nothing.status, nothing.body.code], [400, "USAGE"]);
    assert.deepEqual((await send(late, "DELETE", undefined, key)).body, { ok: true });
    assert.equal((await send(late, "GET", undefined, key)).status, 404);
    const again = await send(late, "DELETE", undefined, key);
    assert.equal(again.status, 404);
    assert.doesNotMatch(JSON.stringify(again.body), /toolplane\.json/);
    assert.deepEqual(Object.keys(written()), ["echo"]);
  });

  test("a tool is set by hand, called, seen in the history, and taken away", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
    await using serving = await startServe(config, directory.file("data"));
    const address = `${serving.url}/tools/say_it`;
    const manifest = {
      description: "Says it again",
      side_effects: "none",
      parameters: { type: "object", properties: { message: { type: "string" } } },
      providers: [{ name: "mcp", config: { server: "echo", tool: "echo" } }],
    };
    const { status, body } = await send(
      `${address}?reason=wanted`,
      "PUT",
      manifest,
      passOf(serving),
    );
    assert.deepEqual([status, body.change], [200, "added"], JSON.stringify(body));
    assert.equal(
      (await postCall(serving.url, "say_it", { arguments: { message: "hi" } })).status,
      200,
    );
    assert.deepEqual(callsAt(log).at(-1), { name: "echo", arguments: { message: "hi" } });
    const { body: history } = await getJson(`${serving.url}/tools/changes?name=say_it`);
    const [change] = history.changes as { kind: string; reason: string; by: { face: string } }[];
    assert.deepEqual([change?.kind, change?.reason, change?.by.face], ["added", "wanted", "http"]);
    const refused = await send(`${serving.url}/tools/other`, "PUT", manifest);
    assert.deepEqual([refused.status, refused.body.code], [403, "FORBIDDEN"]);
    assert.deepEqual((await send(address, "DELETE", undefined, passOf(serving))).body, {
      ok: true,
    });
    assert.equal((await getJson(address)).status, 404);
  });

  test("a plane that stops says that it is not ready, while the process is still there", async () => {
    await using plane = await planeOf({});
    const closing = new AbortController();
    const app = createApp(plane, { host: "127.0.0.1", closing: closing.signal });
    const statusOf = async (path: string) =>
      (await app.request(`http://127.0.0.1${path}`, { headers: { host: "127.0.0.1" } })).status;
    assert.equal(await statusOf("/readyz"), 200);
    closing.abort();
    assert.deepEqual([await statusOf("/readyz"), await statusOf("/healthz")], [503, 200]);
  });

  test("servers come in pages", async () => {
    const servers = Object.fromEntries(
      ["a", "b", "c"].map((name) => [name, { ...namedServer(name, []), enabled: false }]),
    );
    await using plane = await planeOf(servers);
    const app = createApp(plane, { host: "127.0.0.1", closing: new AbortController().signal });
    const page = async (query: string) =>
      (await (
        await app.request(`http://127.0.0.1/servers?${query}`, { headers: { host: "127.0.0.1" } })
      ).json()) as {
        servers: { name: string }[];
        nextCursor: string | null;
      };
    const first = await page("limit=2");
    const second = await page(`limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual(
      [first, second].map(({ servers: listed }) => listed.map(({ name }) => name)),
      [["a", "b"], ["c"]],
    );
    assert.equal(second.nextCursor, null);
  });
});
