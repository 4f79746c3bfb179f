import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { password, type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import { createAgent, createHand } from "./signing-by-hand.ts";

suite("what changes about a person while they sign in", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;
  before(async () => {
    world = await startSigningWorld();
    hand = createHand(world);
  });
  after(async () => world[Symbol.asyncDispose]());

  /** The same name, and another person. */
  async function replace(user: string): Promise<void> {
    await world.withPlane((plane) => plane.people.remove(user));
    await hand.invite(user);
  }
  const grantsOf = (user: string) =>
    world.withPlane(async (plane) =>
      (await plane.grants.list()).filter((grant) => grant.user === user),
    );
  const begin = async () => {
    const agent = createAgent(world.url);
    const clientId = await hand.newClient();
    const asked = hand.request(clientId);
    const page = await hand.follow(agent, await agent.ask(asked.path));
    const signIn = (user: string) =>
      agent.post(`/sign-in/${hand.uidIn(page)}/password`, { user, password });
    return { agent, clientId, asked, page, signIn };
  };

  test("who is removed after the password was right is not signed in as the next of that name", async () => {
    await hand.invite("ann");
    const { agent, signIn } = await begin();
    const right = await signIn("ann");
    assert.equal(right.status, 303, right.text);
    await replace("ann");
    const page = await hand.follow(agent, right);
    assert.match(page.text, /<h1>Sign in<\/h1>/);
    assert.equal((await agent.access()).status, 401);
  });

  test("who is removed on the page of consent allows nothing any more", async () => {
    await hand.invite("bea");
    const { agent, signIn } = await begin();
    const page = await hand.follow(agent, await signIn("bea"));
    assert.match(page.text, /Allow<\/button>/);
    await replace("bea");
    assert.equal((await hand.consent(agent, page)).status, 400);
    assert.deepEqual(await grantsOf("bea"), []);
  });

  test("a code from before a new password is not exchanged, and its browser is signed out", async () => {
    await hand.invite("cid");
    const { agent, signIn, asked, clientId } = await begin();
    const page = await hand.follow(agent, await signIn("cid"));
    const back = (await hand.follow(agent, await hand.consent(agent, page))).location;
    assert.ok(back);
    assert.equal((await agent.access()).status, 200);
    await hand.invite("cid");
    const refused = await hand.exchange(clientId, back, asked.verifier);
    assert.deepEqual([refused.status, refused.json().error], [400, "invalid_grant"]);
    assert.equal((await agent.access()).status, 401);
    const workbench = { headers: { "x-toolplane-face": "workbench", ...agent.proof } };
    assert.equal((await agent.ask("/session", workbench)).status, 401);
  });

  test("a client goes on over a new password, and not over a new person", async () => {
    await hand.invite("dan");
    const { clientId, refresh_token: first } = await hand.signIn("dan");
    await hand.invite("dan");
    const renewed = await hand.refresh(clientId, first);
    assert.equal(renewed.status, 200, renewed.text);
    await replace("dan");
    assert.equal(
      (await hand.refresh(clientId, String(renewed.json().refresh_token))).json().error,
      "invalid_grant",
    );
  });

  test("who is changed or removed while the password is checked stays so", async () => {
    await hand.invite("eve", { groups: ["old"] });
    const { signIn } = await begin();
    await world.withPlane(async ({ people }) => {
      const groupsNow = async () =>
        (await people.list()).find(({ user }) => user === "eve")?.groups;
      assert.deepEqual(await groupsNow(), ["old"]);
      const signing = signIn("eve");
      for (let turn = 0; turn < 12; turn += 1) {
        await people.invite({ user: "eve", groups: [`${turn}`] });
        assert.deepEqual(await groupsNow(), [`${turn}`]);
      }
      assert.equal((await signing).status, 303);
      assert.deepEqual(await groupsNow(), ["11"]);
      const again = await begin();
      await Promise.all([again.signIn("eve"), people.remove("eve")]);
      assert.equal(await groupsNow(), undefined);
    });
  });

  test("a password beyond any that is typed is refused, whether it is chosen or shown", async () => {
    const { url } = await world.withPlane((plane) => plane.people.invite({ user: "fay" }));
    const { pathname } = new URL(url);
    const agent = createAgent(world.url);
    const long = await agent.post(`${pathname}/password`, { password: "x".repeat(1_001) });
    assert.equal(long.status, 400);
    assert.match(long.text, /at most 1000 characters/);
    const huge = await agent.post(`${pathname}/password`, { password: "x".repeat(1_000_000) });
    assert.equal(huge.status, 413);
    assert.match(huge.text, /too large/);
    const { signIn: _, page, agent: other } = await begin();
    const shown = await other.post(`/sign-in/${hand.uidIn(page)}/password`, {
      user: "fay",
      password: "x".repeat(1_001),
    });
    assert.equal(shown.status, 401);
  });
});
