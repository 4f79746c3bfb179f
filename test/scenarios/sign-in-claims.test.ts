import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { password, type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import {
  type Agent,
  type Answer,
  createAgent,
  createHand,
  redirectUri,
} from "./signing-by-hand.ts";

const ann = "ann@example.org";
const listed = { id: "ledger", name: "The Ledger", secret: "0123456789abcdef0123" };

suite("what a client says of itself", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;

  before(async () => {
    const { id, name, secret } = listed;
    const clients = { [id]: { name, secret, redirectUris: [redirectUri] } };
    world = await startSigningWorld({ server: { clients } });
    hand = createHand(world);
    await hand.invite(ann);
  });
  after(() => world[Symbol.asyncDispose]());

  /** The page where the person signs in, and the page of consent after it. */
  async function pagesFor(
    client: string,
  ): Promise<{ agent: Agent; signIn: Answer; consent: Answer }> {
    const agent = createAgent(world.url);
    const signIn = await hand.follow(agent, await agent.ask(hand.request(client).path));
    const path = `/sign-in/${hand.uidIn(signIn)}/password`;
    const consent = await hand.follow(agent, await agent.post(path, { user: ann, password }));
    return { agent, signIn, consent };
  }

  const claims: [string, object][] = [
    ["the mark that the plane once used", { toolplane_client: "known" }],
    ["that mark in capitals", { TOOLPLANE_CLIENT: "known" }],
    [
      "every word that could be a mark",
      { verified: true, configured: true, standing: "configured" },
    ],
    ["the id of a client that is listed", { client_id: listed.id, client_name: listed.name }],
    ["the id of the plane's own pages", { client_id: "toolplane-pages", client_name: "Toolplane" }],
    ["an id that is a document", { client_id: "https://claude.ai/client.json" }],
    [
      "a page and a logo of another",
      { client_uri: "https://claude.ai", logo_uri: "https://claude.ai/logo" },
    ],
    [
      "a statement about its software",
      { software_statement: "eyJhbGciOiJub25lIn0.e30.", software_id: listed.id },
    ],
    ["fields of every object", { __proto__: null, constructor: { toolplane_client: "known" } }],
  ];
  for (const [what, metadata] of claims)
    test(`such as ${what} makes it no client that is verified`, async () => {
      const client = await hand.newClient({ client_name: "Claude", ...metadata });
      const { agent, signIn, consent } = await pagesFor(client);
      assert.match(signIn.text, /calls itself “[^”]+”/);
      assert.match(consent.text, /Not verified\./);
      await hand.follow(agent, await hand.consent(agent, consent));
      assert.match((await agent.access()).text, /not verified/);
      const grants = await world.withPlane((plane) => plane.grants.list());
      const grant = grants.find((view) => view.client.id === client);
      assert.equal(grant?.client.verified, false);
    });

  test("counts for nothing where an administrator lists it: that name is shown", async () => {
    const { signIn, consent } = await pagesFor(listed.id);
    assert.match(signIn.text, /to go on to The Ledger/);
    assert.doesNotMatch(consent.text, /Not verified/);
    assert.match(consent.text, /<h1>The Ledger wants/);
  });
});
