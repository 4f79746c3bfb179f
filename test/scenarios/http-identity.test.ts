import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { CreatedApiKey, NewApiKey } from "../../src/model/access/credentials.ts";
import { browse, startOAuth } from "../contracts/signing-in.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { requestWith } from "./requests.ts";
import {
  fixture,
  namedServer,
  type RunningServe,
  runCli,
  startServe,
  writeConfig,
} from "./support.ts";

type Body = Record<string, unknown>;

suite("who asks over HTTP", () => {
  let directory: TemporaryDirectory;
  let serving: RunningServe;
  let oauth: Awaited<ReturnType<typeof startOAuth>>;
  const secrets: Record<string, string> = {};

  before(async () => {
    directory = await temporaryDirectory();
    oauth = await startOAuth();
    const config = await writeConfig(
      directory,
      {
        echo: fixture("echo"),
        vault: { ...namedServer("vault", ["open"]), groups: ["ops"] },
        remote: { url: oauth.url, auth: { type: "oauth" }, lazy: true },
      },
      { policy: { profile: "personal" } },
    );
    serving = await startServe(config, directory.file("data"));
    const place = ["--json", "--config", config, "--data-dir", directory.file("data")];
    const root = await runCli([
      "keys",
      "create",
      "root",
      "--user",
      "root",
      "--scope",
      "admin",
      ...place,
    ]);
    assert.equal(root.code, 0, root.stderr);
    secrets.root = (root.json() as unknown as CreatedApiKey).secret;
    for (const key of [
      { name: "ann", user: "ann", groups: ["ops"] },
      { name: "bob", user: "bob" },
      { name: "rea", user: "rea", scopes: ["read"] },
    ] satisfies NewApiKey[]) {
      const { status, body } = await ask("root", "/keys", {
        method: "POST",
        body: JSON.stringify(key),
      });
      assert.equal(status, 201, JSON.stringify(body));
      secrets[key.name] = String(body.secret);
    }
  });
  after(async () => {
    await serving.stop();
    await oauth[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  async function ask(who: string, path: string, init: RequestInit = {}) {
    const response = await fetch(`${serving.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${secrets[who]}`, ...init.headers },
    });
    const cookie = response.headers.getSetCookie()[0]?.split(";", 1)[0];
    return {
      status: response.status,
      headers: response.headers,
      cookie,
      body: (await response.json()) as Body,
    };
  }
  const call = (who: string, tool: string, args: Body = {}) =>
    ask(who, `/tools/${tool}/call`, { method: "POST", body: JSON.stringify({ arguments: args }) });

  test("no one is let in without a credential, except to see whether the process is there", async () => {
    const { body: document } = await ask("root", "/openapi.json");
    const paths = Object.entries(document.paths as Record<string, Body>);
    for (const [path, methods] of paths) {
      for (const method of Object.keys(methods)) {
        const url = `${serving.url}${path.replaceAll(/\{\w+\}/g, "echo")}`;
        const response = await fetch(url, { method: method.toUpperCase() });
        await response.body?.cancel();
        if (path === "/healthz") assert.equal(response.status, 200);
        else assert.equal(response.status, 401, `${method} ${path}`);
        if (path !== "/healthz")
          assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
      }
    }
    assert.equal((await fetch(`${serving.url}/nowhere`)).status, 401, "not even what there is");
  });

  test("a key is taken as a bearer token or as X-API-Key, and nothing else is", async () => {
    const statusWith = async (headers: Record<string, string>) =>
      (await fetch(`${serving.url}/tools`, { headers })).status;
    assert.equal(await statusWith({ authorization: `bearer ${secrets.ann}` }), 200);
    assert.equal(await statusWith({ "x-api-key": String(secrets.ann) }), 200);
    for (const wrong of [
      "",
      "Bearer",
      "Basic YTpi",
      "Bearer tp_wrong",
      `Bearer ${secrets.ann} more`,
    ]) {
      assert.equal(
        await statusWith({ authorization: wrong, "x-api-key": String(secrets.ann) }),
        401,
        wrong,
      );
    }
    assert.equal(await statusWith({ "x-api-key": "" }), 401);
    assert.equal((await fetch(`${serving.url}/tools?key=${secrets.ann}`)).status, 401);
    const refused = await fetch(`${serving.url}/tools`, {
      headers: { authorization: "Bearer CANARY.a.b" },
    });
    assert.doesNotMatch(await refused.text(), /CANARY/);
  });

  test("managing the plane takes the scope, and the refusal names it", async () => {
    for (const [method, path] of [
      ["POST", "/servers/echo/connect"],
      ["POST", "/servers/echo/disconnect"],
      ["POST", "/registry/refresh"],
      ["GET", "/servers/echo/logs"],
      ["GET", "/keys"],
      ["POST", "/keys"],
      ["PUT", "/servers/mine"],
      ["DELETE", "/servers/echo"],
      ["PUT", "/tools/mine"],
      ["DELETE", "/tools/mine"],
      ["GET", "/metrics"],
    ] as const) {
      const { status, body } = await ask("ann", path, { method });
      assert.deepEqual([status, body.code], [403, "FORBIDDEN"], `${method} ${path}`);
      assert.match(String(body.detail), /the scope 'admin'/);
      assert.deepEqual(body.data, { scope: "admin" });
    }
    const { status, body } = await call("rea", "echo.echo", { message: "x" });
    assert.deepEqual([status, body.code], [403, "FORBIDDEN"]);
    assert.match(String(body.detail), /'call'/);
    assert.equal((await ask("rea", "/tools")).status, 200);
  });

  test("a call is recorded for the one whose key it was, and others do not see it", async () => {
    const mine = (await call("ann", "echo.echo", { message: "of ann" })).body.call as {
      id: string;
    };
    await call("bob", "echo.echo", { message: "of bob" });
    const usersIn = async (who: string) => {
      const { body } = await ask(who, "/calls");
      const calls = body.calls as { principal: { user: string } }[];
      return [...new Set(calls.map(({ principal }) => principal.user))].sort();
    };
    assert.deepEqual(await usersIn("ann"), ["ann"]);
    assert.deepEqual(await usersIn("bob"), ["bob"]);
    assert.deepEqual((await usersIn("root")).slice(0, 2), ["ann", "bob"]);
    assert.equal((await ask("ann", `/calls/${mine.id}`)).status, 200);
    assert.equal((await ask("root", `/calls/${mine.id}`)).status, 200);
    assert.equal((await ask("bob", `/calls/${mine.id}`)).status, 404);
  });

  test("calls come in pages, newest first, and are narrowed by tool and status", async () => {
    for (const message of ["1", "2", "3"]) await call("bob", "echo.echo", { message });
    await call("bob", "echo.fail", { reason: "no" });
    const page = async (query: string) => (await ask("bob", `/calls?${query}`)).body;
    const seen: string[] = [];
    let next: unknown = "";
    while (next !== null) {
      const body = await page(`tool=echo.echo&limit=2${next === "" ? "" : `&cursor=${next}`}`);
      seen.push(...(body.calls as { id: string }[]).map(({ id }) => id));
      next = body.nextCursor;
    }
    assert.ok(seen.length >= 3 && new Set(seen).size === seen.length);
    const failed = (await page("status=tool_error")).calls as { tool: string }[];
    assert.deepEqual(
      failed.map(({ tool }) => tool),
      ["echo.fail"],
    );
  });

  test("a server that one's groups may not use is not there", async () => {
    const namesFor = async (who: string) =>
      ((await ask(who, "/servers")).body.servers as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(await namesFor("ann"), ["echo", "remote", "vault"]);
    assert.deepEqual(await namesFor("bob"), ["echo", "remote"]);
    assert.deepEqual(await namesFor("root"), ["echo", "remote", "vault"], "an admin sees it");
    const hidden = await ask("bob", "/servers/vault");
    const missing = await ask("bob", "/servers/none");
    assert.deepEqual([hidden.status, missing.status], [404, 404]);
    assert.equal(String(hidden.body.detail).replace("vault", "none"), missing.body.detail);
    for (const path of [
      "/tools?server=vault",
      "/prompts?server=vault",
      "/resources?server=vault",
      "/servers/vault/resource?uri=a:b",
    ]) {
      assert.equal((await ask("bob", path)).status, 404, path);
    }
    assert.equal((await call("ann", "vault.open")).status, 200);
  });

  test("the stream of events tells of your own calls, and of no one else's", async () => {
    const heard: Record<string, string> = {};
    const controller = new AbortController();
    for (const who of ["ann", "bob", "root"]) {
      const headers = { authorization: `Bearer ${secrets[who]}` };
      const { body } = await fetch(`${serving.url}/events`, { headers, signal: controller.signal });
      heard[who] = "";
      (async () => {
        for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? [])
          heard[who] += piece;
      })().catch(() => undefined);
    }
    const idOf = async (who: string, tool: string, args?: Body) =>
      ((await call(who, tool, args)).body.call as { id: string }).id;
    const annCall = await idOf("ann", "vault.open");
    const bobCall = await idOf("bob", "echo.echo", { message: "x" });
    const ended = (who: string, id: string) =>
      new RegExp(`^event: tool\\.result\\ndata: .*${id}`, "m").test(heard[who] ?? "");
    await until("their own", () => ended("ann", annCall) && ended("bob", bobCall));
    await until("everything", () => ended("root", annCall) && ended("root", bobCall));
    controller.abort();
    assert.ok(!heard.ann?.includes(bobCall) && !heard.bob?.includes(annCall));
    assert.doesNotMatch(heard.bob ?? "", /vault/);
  });

  test("a page on another port of this machine may not call, with a key or without", async () => {
    const { host, port } = new URL(serving.url);
    const headers = { host, authorization: `Bearer ${secrets.ann}` };
    const other = Number(port) === 3000 ? 3001 : 3000;
    assert.equal(
      await requestWith(`${serving.url}/tools`, {
        ...headers,
        origin: `http://localhost:${other}`,
      }),
      403,
    );
    assert.equal(
      await requestWith(`${serving.url}/tools`, { ...headers, origin: "http://127.0.0.1" }),
      403,
    );
    assert.equal(
      await requestWith(`${serving.url}/tools`, { ...headers, origin: `http://localhost:${port}` }),
      200,
    );
  });

  test("only the user who began a sign-in comes back from it, and an unknown state is refused", async () => {
    const begun = await ask("ann", "/servers/remote/sign-in", { method: "POST" });
    assert.equal(begun.status, 200, JSON.stringify(begun.body));
    const back = await browse(String(begun.body.url));
    const callback = `${serving.url}/oauth/callback?${back}`;
    const headers = { cookie: String(begun.cookie) };
    const stranger = await fetch(callback.replace(/state=[^&]+/, "state=made-up"), { headers });
    assert.equal(stranger.status, 401);
    const came = await fetch(callback, { headers });
    assert.equal(came.status, 200, await came.clone().text());
    const serversOf = async (who: string) =>
      ((await ask(who, "/tokens")).body.tokens as { server: string }[]).map(({ server }) => server);
    assert.deepEqual([await serversOf("ann"), await serversOf("bob")], [["remote"], []]);
    assert.equal((await fetch(callback, { headers })).status, 401, "once");
  });

  test("a revoked key opens nothing any more", async () => {
    const made = await ask("root", "/keys", {
      method: "POST",
      body: JSON.stringify({ name: "short", user: "eve" }),
    });
    secrets.eve = String(made.body.secret);
    assert.equal((await ask("eve", "/tools")).status, 200);
    const { id } = made.body.key as { id: string };
    assert.deepEqual((await ask("root", `/keys/${id}`, { method: "DELETE" })).body, {
      id,
      revoked: true,
    });
    assert.equal((await ask("eve", "/tools")).status, 401);
    const { body } = await ask("root", "/keys");
    assert.doesNotMatch(JSON.stringify(body), new RegExp(String(secrets.eve).slice(3)));
    const listed = async () =>
      ((await ask("root", "/keys")).body.keys as { id: string }[]).some((key) => key.id === id);
    assert.ok(await listed());
    await ask("root", `/keys/${id}?forget=true`, { method: "DELETE" });
    assert.ok(!(await listed()));
  });
});
