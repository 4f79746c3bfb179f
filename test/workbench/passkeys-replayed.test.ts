import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { createAgent, createHand } from "../scenarios/signing-by-hand.ts";
import { noBrowser, openBrowser } from "./chromium.ts";
import {
  acceptWithPasskey,
  addAuthenticator,
  type SigningWorld,
  startSigningWorld,
} from "./signing-world.ts";

const ann = "ann@example.org";
const eve = "eve@example.org";

type Proof = { id: string; response: { userHandle?: string } };

suite("what the device of a person signed", { skip: noBrowser }, () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;
  let browser: Browser;
  let page: Page;
  /** As it went over the wire. */
  const sent: { path: string; proof: Proof }[] = [];

  before(async () => {
    world = await startSigningWorld();
    hand = createHand(world);
    browser = await openBrowser();
    page = await (await browser.newContext()).newPage();
    await addAuthenticator(page);
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith("/passkey/verify"))
        sent.push({ path: pathname, proof: request.postDataJSON() as Proof });
    });
    const { url } = await world.withPlane((plane) => plane.people.invite({ user: ann }));
    await acceptWithPasskey(page, url);
  });
  after(async () => {
    await browser.close();
    await world[Symbol.asyncDispose]();
  });

  const newest = () => sent.at(-1) ?? assert.fail("the page sent nothing");
  const show = (agent: ReturnType<typeof createAgent>, path: string, proof: object) =>
    agent.ask(path, {
      method: "POST",
      body: JSON.stringify(proof),
      headers: { origin: world.url, "content-type": "application/json" },
    });

  test("to make a passkey makes none for another person", async () => {
    const { url } = await world.withPlane((plane) => plane.people.invite({ user: eve }));
    const { pathname } = new URL(url);
    const agent = createAgent(world.url);
    assert.equal((await show(agent, `${pathname}/passkey/options`, {})).status, 200);
    assert.equal((await show(agent, `${pathname}/passkey/verify`, newest().proof)).status, 400);
    const people = await world.withPlane((plane) => plane.people.list());
    assert.deepEqual(
      people.map(({ user, passkeys }) => [user, passkeys]),
      [
        [ann, 1],
        [eve, 0],
      ],
    );
  });

  test("to sign in counts once, where it was asked for, and for that person", async () => {
    const client = await hand.newClient();
    await page.goto(world.url + hand.request(client).path);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByRole("button", { name: "Allow" }).waitFor();
    const { path, proof } = newest();
    const again = await page.request.post(world.url + path, {
      data: proof,
      headers: { origin: world.url },
    });
    assert.ok([400, 401].includes(again.status()), String(again.status()));

    const agent = createAgent(world.url);
    const uid = hand.uidIn(await hand.follow(agent, await agent.ask(hand.request(client).path)));
    const place = `/sign-in/${uid}/passkey`;
    assert.equal((await show(agent, `${place}/verify`, proof)).status, 401, "without a challenge");
    const other = { ...proof, response: { ...proof.response, userHandle: "AAAA" } };
    for (const stolen of [proof, other]) {
      assert.equal((await show(agent, `${place}/options`, {})).status, 200);
      assert.equal(
        (await show(agent, `${place}/verify`, stolen)).status,
        401,
        "for another challenge",
      );
    }
    assert.equal((await agent.ask(path)).status, 404);
    assert.equal((await agent.access()).status, 401, "no one is signed in");
  });
});
