import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import { createAgent, createHand } from "./signing-by-hand.ts";

const ann = "ann@example.org";
const root = "root@example.org";

suite("a token for some servers", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;

  before(async () => {
    world = await startSigningWorld();
    hand = createHand(world);
    await hand.invite(ann);
    await hand.invite(root, { scopes: ["admin"] });
  });
  after(() => world[Symbol.asyncDispose]());

  const tokenFor = async (user: string, scope: string) =>
    (await hand.signIn(user, createAgent(world.url), { scope, resource: world.url })).access_token;
  async function ask(token: string, path: string, body?: object) {
    const response = await fetch(world.url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const challenge = response.headers.get("www-authenticate") ?? "";
    return {
      status: response.status,
      challenge,
      json: (await response.json()) as Record<string, unknown>,
    };
  }
  const call = async (token: string, tool: string) => {
    const { status, json } = await ask(token, `/tools/${tool}/call`, {});
    assert.equal(status, 200, JSON.stringify(json));
    return (json.call as { id: string }).id;
  };
  async function status(
    token: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<number> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(world.url + path, { method, headers, ...sent });
    await response.text();
    return response.status;
  }
  const callsOf = async (token: string) => {
    const { json } = await ask(token, "/calls");
    return (json.calls as { id: string }[]).map(({ id }) => id);
  };

  test("manages nothing, also where its person may", async () => {
    const token = await tokenFor(root, "admin server:files");
    for (const path of ["/keys", "/people", "/audit"]) {
      const { status, challenge } = await ask(token, path);
      assert.equal(status, 403, path);
      assert.match(
        challenge,
        /error="insufficient_scope", scope="call admin"/,
        "and asks for what would be enough",
      );
    }
    const key = await ask(token, "/keys", { name: "wider", scopes: ["admin"] });
    assert.equal(key.status, 403);
    assert.equal((await ask(await tokenFor(root, "admin"), "/keys")).status, 200);
  });

  test("shows nothing that other clients of its person did, and they show what it did", async () => {
    const [whole, files, mail] = [
      await tokenFor(ann, "call"),
      await tokenFor(ann, "call server:files"),
      await tokenFor(ann, "call server:mail"),
    ];
    const [sent, read] = [await call(whole, "mail.send"), await call(files, "files.read")];
    assert.deepEqual(await callsOf(files), [read]);
    assert.deepEqual(await callsOf(mail), []);
    assert.deepEqual(new Set(await callsOf(whole)), new Set([sent, read]));
    assert.equal((await ask(files, `/calls/${sent}`)).status, 404);
    assert.equal((await ask(files, `/calls/${read}`)).status, 200);
  });

  test("shows and takes back nothing that reaches beyond it, of the same person or another", async () => {
    await tokenFor(root, "call server:files");
    const [whole, files, mail] = [
      await tokenFor(ann, "call"),
      await tokenFor(ann, "call server:files"),
      await tokenFor(ann, "call server:mail"),
    ];
    type Shown = { id: string; user: string; scopes: string[] };
    const grantsOf = async (token: string) => (await ask(token, "/grants")).json.grants as Shown[];
    const all = await grantsOf(whole);
    assert.ok(all.length >= 3 && all.every(({ user }) => user === ann));
    const shown = await grantsOf(files);
    assert.ok(
      shown.length > 0 &&
        shown.every(({ user, scopes }) => user === ann && scopes.includes("server:files")),
    );
    assert.ok(shown.every(({ scopes }) => !scopes.includes("server:mail")));
    const beyond = all.filter(({ id }) => !shown.some((one) => one.id === id));
    for (const { id } of [
      ...beyond,
      ...(await grantsOf(await tokenFor(root, "admin"))).filter(({ user }) => user === root),
    ])
      assert.equal(await status(files, "DELETE", `/grants/${id}`), 404);
    const [own] = await grantsOf(mail);
    const reading = await tokenFor(ann, "read");
    assert.equal(
      await status(reading, "DELETE", `/grants/${own?.id}`),
      403,
      "to read is not to change",
    );
    assert.equal(await status(mail, "DELETE", `/grants/${own?.id}`), 200);
    for (const [method, path, body] of [
      ["PUT", "/servers/mail/token", { token: "x" }],
      ["DELETE", "/servers/mail/token"],
      ["POST", "/servers/mail/sign-in"],
    ] as [string, string, object?][])
      assert.equal(await status(files, method, path, body), 404, path);
  });
});
