import assert from "node:assert/strict";
import { after, before, beforeEach, suite, test } from "node:test";
import { password, type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import { type Agent, createAgent, createHand } from "./signing-by-hand.ts";

const ann = "ann@example.org";

/** Browsers send the cookies of a host to every port of it, so another program there may have them all. */
suite("a program that has all cookies of a browser", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;
  let victim: Agent;
  let client: string;

  before(async () => {
    world = await startSigningWorld();
    hand = createHand(world);
    await hand.invite(ann, { scopes: ["admin"] });
  });
  beforeEach(async () => {
    const signedIn = await hand.signIn(ann);
    victim = signedIn.agent;
    client = signedIn.clientId;
  });
  after(() => world[Symbol.asyncDispose]());

  /** Another program, with the cookies and a secret of its own. */
  function thiefOf(agent: Agent): Agent {
    const thief = createAgent(world.url);
    for (const [name, cookie] of agent.jar) thief.jar.set(name, cookie);
    return thief;
  }
  const face = { "x-toolplane-face": "workbench" };
  const createKey = (agent: Agent, headers: Record<string, string>) =>
    agent.ask("/keys", {
      method: "POST",
      body: JSON.stringify({ name: "stolen", scopes: ["admin"] }),
      headers: { "content-type": "application/json", ...headers },
    });

  test("is no one in the API, whatever it says of itself", async () => {
    const thief = thiefOf(victim);
    for (const headers of [
      face,
      { ...face, origin: world.url },
      { ...face, ...thief.proof },
      { ...face, "x-toolplane-session": "" },
      { ...face, "x-toolplane-session": String(victim.jar.get("toolplane_session /")?.value) },
      { ...face, "sec-fetch-site": "same-origin", referer: `${world.url}/workbench/` },
    ]) {
      assert.equal((await createKey(thief, headers)).status, 401, JSON.stringify(headers));
      assert.equal((await thief.ask("/session", { headers })).status, 401);
      assert.equal((await thief.ask("/events", { headers })).status, 401);
    }
    const made = await createKey(victim, { ...face, ...victim.proof });
    assert.equal(made.status, 201, "the page itself is its person");
  });

  test("gets no code for a client of its own, nor for one that was allowed", async () => {
    for (const clientId of [await hand.newClient(), client]) {
      const thief = thiefOf(victim);
      const page = await hand.follow(thief, await thief.ask(hand.request(clientId).path));
      assert.match(page.text, /<h1>Sign in<\/h1>/);
      assert.equal(page.location, null);
    }
    const silent = await thiefOf(victim).ask(hand.request(client, { prompt: "none" }).path);
    assert.equal(silent.location, null);
    assert.match(silent.text, /error=login_required/);
  });

  test("does not go on with its own sign-in where the person's page is led into it", async () => {
    const thief = thiefOf(victim);
    const asked = hand.request(client);
    const begun = await thief.ask(asked.path);
    const uid = begun.location?.pathname.split("/").at(-1) ?? "";
    // Programs of a host can also set cookies for it.
    for (const [name, cookie] of thief.jar) victim.jar.set(name, cookie);
    const proven = await victim.prove(`/sign-in/${uid}/proof`);
    assert.equal(proven.status, 200, proven.text);
    for (const query of ["", "?ticket=", "?ticket=guessed", `?ticket=${"x".repeat(43)}`]) {
      const answer = await hand.follow(thief, await thief.ask(`/oauth/authorize/${uid}${query}`));
      assert.equal(answer.location?.searchParams.get("code") ?? null, null, answer.text);
      assert.doesNotMatch(answer.text, /Allow<\/button>/);
    }
  });

  test("does not go on in the place of a person who types the password into its sign-in", async () => {
    const thief = createAgent(world.url);
    const begun = await thief.ask(hand.request(await hand.newClient()).path);
    const uid = begun.location?.pathname.split("/").at(-1) ?? "";
    const person = createAgent(world.url);
    for (const [name, cookie] of thief.jar) person.jar.set(name, cookie);
    const signedIn = await person.post(`/sign-in/${uid}/password`, { user: ann, password });
    assert.equal(signedIn.status, 303, signedIn.text);
    const answer = await hand.follow(thief, await thief.ask(`/oauth/authorize/${uid}`));
    assert.match(answer.text, /<h1>Sign in<\/h1>/);
  });

  test("sees and ends nothing at the person's own page", async () => {
    const thief = thiefOf(victim);
    assert.equal((await thief.access()).status, 401);
    const [grant] = await world.withPlane((plane) => plane.grants.list());
    await thief.post("/sign-in/access/revoke", { grant: grant?.id });
    assert.equal((await world.withPlane((plane) => plane.grants.list())).length > 0, true);
    const [, session = ""] =
      /name="session" value="([^"]+)"/.exec((await victim.access()).text) ?? [];
    await thief.post("/sign-in/access/end", { session });
    assert.equal((await victim.access()).status, 200);
  });

  test("allows nothing on a page of consent that the person has open", async () => {
    const clientId = await hand.newClient();
    const page = await hand.follow(victim, await victim.ask(hand.request(clientId).path));
    assert.match(page.text, /Allow<\/button>/);
    assert.equal((await hand.consent(thiefOf(victim), page)).status, 403);
    assert.equal((await hand.consent(victim, page)).status, 303);
  });

  test("cannot answer with the person's page where a client asks for a new sign-in", async () => {
    const asked = hand.request(client, { prompt: "login" });
    const page = await hand.follow(victim, await victim.ask(asked.path));
    assert.match(page.text, /<h1>Sign in<\/h1>/);
    assert.equal((await victim.prove(`/sign-in/${hand.uidIn(page)}/proof`)).status, 401);
  });

  test("finds a browser without scripts asked to sign in each time", async () => {
    const agent = createAgent(world.url);
    const asked = hand.request(await hand.newClient());
    const page = await hand.follow(agent, await agent.ask(asked.path));
    const path = `/sign-in/${hand.uidIn(page)}/password`;
    const consent = await hand.follow(
      agent,
      await agent.post(path, { user: ann, password, page: undefined }),
    );
    assert.match(consent.text, /Allow<\/button>/);
    const back = await hand.follow(agent, await hand.consent(agent, consent));
    assert.ok(back.location?.searchParams.get("code"));
    const again = await hand.follow(agent, await agent.ask(asked.path));
    assert.match(again.text, /<h1>Sign in<\/h1>/);
    assert.equal((await agent.ask("/session", { headers: agent.proof })).status, 401);
  });
});
