import assert from "node:assert/strict";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { projectKeys } from "../../src/config/trust/project-keys.ts";
import { createApp } from "../../src/faces/http/app.ts";
import { createLocalPass } from "../../src/faces/http/local-pass.ts";
import { createOwnAddress } from "../../src/faces/http/origin.ts";
import type { App } from "../../src/faces/http/route.ts";
import { claimDirectory, isWritableByOthers, userTemporaryDirectory } from "../../src/lib/private-directory.ts";
import { isMissing } from "../../src/operations/operation.ts";
import { operations } from "../../src/operations/operations.ts";
import { browse, startOAuth } from "../contracts/signing-in.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { requestWith } from "../scenarios/requests.ts";
import { fixture, planeOf, type RunningServe, startCli, startServe, writeConfig } from "../scenarios/support.ts";

/** What calls, or only looks: the whole of what a program without a proof may send. */
const open = [
  "agent.run",
  "call",
  "code.run",
  "evaluateSearch",
  "policy.preview",
  "policy.test",
  "prompts.get",
  "skills.run",
];

suite("local means the same user (security 7)", () => {
  let plane: Awaited<ReturnType<typeof planeOf>>;
  let app: App;
  const pass = createLocalPass();
  before(async () => {
    plane = await planeOf({});
    const setup = {} as NonNullable<Parameters<typeof createApp>[1]["setup"]>;
    app = createApp(plane, { host: "127.0.0.1", closing: new AbortController().signal, pass, setup });
  });
  after(() => plane.stop());

  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    app.request(`http://127.0.0.1${path}`, { method, headers: { host: "127.0.0.1", ...headers } });

  test("every operation that changes or approves takes a proof over HTTP, and no header stands in for it", async () => {
    const forged = {
      "x-toolplane-face": "workbench",
      "sec-fetch-site": "same-origin",
      origin: "http://127.0.0.1",
      "x-toolplane-session": "made-up",
      cookie: "toolplane_0=made-up",
    };
    const changing = operations.flatMap(({ name, http }) =>
      isMissing(http) || http.method === "get" ? [] : [{ name, method: http.method, path: http.path, open: http.open }],
    );
    assert.deepEqual(changing.flatMap((one) => (one.open ? one.name : [])).sort(), open);
    assert.ok(changing.length > 30, String(changing.length));
    const others = [{ name: "sign-in", method: "post", path: "/servers/{name}/sign-in", open: undefined }];
    for (const one of [...changing, ...others]) {
      const path = one.path.replaceAll(/\{\w+\}/g, "x");
      for (const headers of [{}, forged]) {
        const response = await send(one.method.toUpperCase(), path, headers);
        const body = (await response.json()) as { data?: { needs?: string } };
        assert.equal(body.data?.needs, one.open ? undefined : "proof", `${one.name}: ${JSON.stringify(body)}`);
        if (!one.open) assert.equal(response.status, 403, one.name);
      }
    }
    const proven = await send("DELETE", "/keys/none", { authorization: `Bearer ${pass.word}` });
    assert.equal(proven.status, 404, "the pass is a proof");
  });

  test("a page of another site or port is answered nothing, on any route (security 13)", async () => {
    for (const { http } of operations) {
      if (isMissing(http)) continue;
      const path = http.path.replaceAll(/\{\w+\}/g, "x");
      for (const site of ["cross-site", "same-site", "Cross-Site"]) {
        const headers = { "sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
        const response = await send(http.method.toUpperCase(), path, headers);
        assert.equal(response.status, 403, `${http.method} ${http.path} ${site}`);
      }
    }
    assert.equal((await send("GET", "/tools", { "sec-fetch-site": "none" })).status, 200);
    assert.equal((await send("GET", "/tools", { "sec-fetch-site": "same-origin" })).status, 200);
  });

  test("one caller holds 32 streams open and no more, and gets them back (security 18)", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {});
    await using serving = await startServe(config, directory.file("data"));
    const leaving: AbortController[] = [];
    const listen = async () => {
      const controller = new AbortController();
      leaving.push(controller);
      return (await fetch(`${serving.url}/events`, { signal: controller.signal })).status;
    };
    const statuses = await Promise.all(Array.from({ length: 40 }, listen));
    assert.deepEqual(
      [statuses.filter((status) => status === 200).length, new Set(statuses)],
      [32, new Set([200, 429])],
    );
    for (const controller of leaving) controller.abort();
    const deadline = Date.now() + 20_000;
    let again = await listen();
    while (again === 429 && Date.now() < deadline) again = await listen();
    assert.equal(again, 200);
    for (const controller of leaving) controller.abort();
  });
});

test("how many streams and sessions a caller has is configuration, and a project may only lower it (security 18)", async () => {
  await using directory = await temporaryDirectory();
  const config = directory.file("few.json");
  await writeFile(config, JSON.stringify({ mcpServers: {}, quotas: { maxHeldOpen: 1, maxSessionsPerCaller: 1 } }));
  await using serving = await startServe(config, directory.file("data"));
  const leaving = new AbortController();
  const listen = async () => (await fetch(`${serving.url}/events`, { signal: leaving.signal })).status;
  assert.deepEqual([await listen(), await listen()], [200, 429]);
  const begin = () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    return fetch(`${serving.url}/mcp`, { method: "POST", headers, body });
  };
  const session = { "mcp-session-id": String((await begin()).headers.get("mcp-session-id")) };
  const accept = { accept: "text/event-stream" };
  const stream = await fetch(`${serving.url}/mcp`, { headers: { ...session, ...accept }, signal: leaving.signal });
  assert.equal(stream.status, 200);
  assert.match(await (await begin()).text(), /1 sessions in use/);
  leaving.abort();
  const { maxHeldOpen: guard } = projectKeys.quotas;
  assert.deepEqual([guard(32, 1, () => undefined), guard(32, 64, () => undefined)], [1, 32]);
});

suite("the gateway on a plane without credentials (security 7)", () => {
  test("a client without a proof is not asked for the yes to its own call", async () => {
    const policy = { rules: [{ tool: "one.echo", verdict: "ask" as const }] };
    const config = { mcpServers: { one: fixture("echo") }, policy };
    await using gateway = await startGateway({}, { plane: { config } });
    const request = { method: "tools/call", params: { name: "one__echo", arguments: { message: "hi" } } };
    for (const [headers, isAsked] of [
      [{}, false],
      [gateway.proof, true],
    ] as const) {
      const client = await EraClient.open(gateway.url, "modern", { headers, capabilities: { elicitation: {} } });
      const answer = JSON.stringify(await client.exchange(request.method, request.params));
      assert.equal(answer.includes("input_required"), isAsked, answer);
    }
  });
});

suite("a sign-in belongs to the browser that began it (security 5)", () => {
  let serving: RunningServe;
  let oauth: Awaited<ReturnType<typeof startOAuth>>;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  before(async () => {
    directory = await temporaryDirectory();
    oauth = await startOAuth();
    const config = await writeConfig(directory, { remote: { url: oauth.url, auth: { type: "oauth" }, lazy: true } });
    serving = await startServe(config, directory.file("data"));
  });
  after(async () => {
    await serving.stop();
    await oauth[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });
  const begin = async () => {
    const begun = await fetch(`${serving.url}/servers/remote/sign-in`, { method: "POST", headers: serving.proof });
    const { url } = (await begun.json()) as { url: string };
    return { url, cookie: String(begun.headers.getSetCookie()[0]) };
  };

  test("a link that another person began is refused in a browser without its cookie, or with that of another", async () => {
    const [theirs, own] = [await begin(), await begin()];
    assert.match(theirs.cookie, /HttpOnly/i);
    assert.match(theirs.cookie, /SameSite=Lax/i);
    const callback = `${serving.url}/oauth/callback?${await browse(theirs.url)}`;
    const come = async (cookie: string) => (await fetch(callback, { headers: { cookie } })).status;
    const [name] = theirs.cookie.split("=", 1);
    const [value] = own.cookie.slice(own.cookie.indexOf("=") + 1).split(";", 1);
    assert.deepEqual([await come(""), await come(own.cookie), await come(`${name}=${value}`)], [403, 403, 403]);
    // From the site of the authorization server, as a browser comes.
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const cookie = String(theirs.cookie.split(";", 1)[0]);
    assert.equal(await requestWith(callback, { ...headers, cookie }), 200);
  });

  test("the address to come back to is the plane's own, whatever port a caller names", async () => {
    const { port } = new URL(serving.url);
    const { url } = await begin();
    assert.equal(new URL(url).searchParams.get("redirect_uri"), `${serving.url}/oauth/callback`);
    const own = createOwnAddress("127.0.0.1", ["tools.example.org"], () => Number(port));
    assert.equal(own(`LocalHost:${port}`), `http://localhost:${port}`);
    assert.equal(own("tools.example.org"), "http://tools.example.org");
    for (const host of ["127.0.0.1:1", "localhost", "tools.example.org:81", "[::1]:9"])
      assert.throws(() => own(host), { code: "ORIGIN_REFUSED" }, host);
  });
});

suite("what other users of the machine can read and write", () => {
  test("serve prints the pass to no pipe unless it is asked to (security 16)", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {});
    for (const [more, isShown] of [
      [["--json"], false],
      [[], false],
      [["--json", "--print-pass"], true],
    ] as const) {
      const place = ["--config", config, "--data-dir", directory.file("data")];
      const running = startCli(["serve", "--port", "0", ...more, ...place]);
      const first = Promise.withResolvers<void>();
      running.process.stdout?.on("data", (text) => String(text).includes("/workbench/") && first.resolve());
      await Promise.race([first.promise, running.result]);
      running.process.kill("SIGTERM");
      const { stdout } = await running.result;
      assert.match(stdout, /\/workbench\//);
      assert.equal(/#pass=/.test(stdout), isShown, stdout);
    }
  });

  test("files for a person go to a directory of that user alone (security 17)", { skip: !process.getuid }, async () => {
    await using directory = await temporaryDirectory();
    assert.match(userTemporaryDirectory(), new RegExp(`toolplane-${process.getuid?.()}$`));
    const own = directory.file("own");
    mkdirSync(own, { mode: 0o755 });
    assert.equal(claimDirectory(own), null);
    assert.equal(statSync(own).mode & 0o777, 0o700);
  });

  test("a data directory that others can write is warned about (security 20)", { skip: !process.getuid }, async () => {
    await using directory = await temporaryDirectory();
    const data = directory.file("data");
    mkdirSync(data);
    chmodSync(data, 0o700);
    assert.equal(isWritableByOthers(data), false);
    chmodSync(data, 0o770);
    assert.equal(isWritableByOthers(data), true);
    assert.equal(isWritableByOthers(directory.file("none")), false);
  });
});
