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
    return { status: response.status, challenge, json: (await response.json()) as Record<string, unknown> };
  }
  const call = async (token: string, tool: string) => {
    const { status, json } = await ask(token, `/tools/${tool}/call`, {});
    assert.equal(status, 200, JSON.stringify(json));
    return (json.call as { id: string }).id;
  };
  const callsOf = async (token: string) => {
    const { json } = await ask(token, "/calls");
    return (json.calls as { id: string }[]).map(({ id }) => id);
  };

  test("manages nothing, also where its person may", async () => {
    const token = await tokenFor(root, "admin server:files");
    for (const path of ["/keys", "/people", "/audit"]) {
      const { status, challenge } = await ask(token, path);
      assert.equal(status, 403, path);
      assert.match(challenge, /error="insufficient_scope", scope="call admin"/, "and asks for what would be enough");
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
});
