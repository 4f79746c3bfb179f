import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../fixtures/until.ts";
import { type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import { claimsOf, createAgent, createHand } from "./signing-by-hand.ts";
import { startServe } from "./support.ts";

const ann = "ann@example.org";
const root = "root@example.org";

suite("what a client was allowed, later", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;

  before(async () => {
    world = await startSigningWorld();
    hand = createHand(world);
    await hand.invite(ann, { groups: ["ops"] });
    await hand.invite(root, { scopes: ["admin"] });
  });
  after(() => world[Symbol.asyncDispose]());

  test("ends where the person may no longer give it", async () => {
    const asked = { scope: "admin", resource: world.url };
    const { access_token, refresh_token, clientId } = await hand.signIn(
      root,
      createAgent(world.url),
      asked,
    );
    const { access_token: modest } = await hand.signIn(root);
    assert.equal(await hand.use(access_token, "/keys"), 200);
    await world.withPlane((plane) => plane.people.invite({ user: root, scopes: ["call"] }));
    assert.equal((await hand.refresh(clientId, refresh_token)).json().error, "invalid_grant");
    const { scope } = await hand.signIn(root, createAgent(world.url), {
      ...asked,
      scope: "admin call",
    });
    assert.equal(scope, "call");
    await until(
      "its token is of no use",
      async () => (await hand.use(access_token, "/keys")) === 401,
    );
    assert.equal(await hand.use(modest), 200, "what the person may still give goes on");
  });

  test("stands beside the browsers of the person, with their last use", async () => {
    const { agent } = await hand.signIn(ann);
    const rowOf = async () =>
      /<tr><td>This browser<\/td>.*?<\/tr>/s.exec((await agent.access()).text)?.[0];
    assert.match(String(await rowOf()), /Workbench last used">not yet</);
    assert.equal((await agent.ask("/session", { headers: agent.proof })).status, 200);
    await until("its use is noted", async () =>
      /Workbench last used">\d{4}-/.test(String(await rowOf())),
    );
  });

  test("does not count after a restart where it was taken back before", async () => {
    const { access_token } = await hand.signIn(ann);
    const grant = String(claimsOf(access_token).grant);
    await world.withPlane((plane) => plane.grants.revoke(grant));
    await world.serving.stop();
    await using _again = await startServe(
      world.config,
      world.directory.file("data"),
      Number(new URL(world.url).port),
    );
    assert.equal(await hand.use(access_token), 401, "the first request");
  });
});
