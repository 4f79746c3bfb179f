import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import {
  type Agent,
  type Answer,
  claimsOf,
  createAgent,
  createHand,
  type Fields,
} from "./signing-by-hand.ts";

const ann = "ann@example.org";
const robot = { id: "robot", secret: "0123456789abcdef0123" };

suite("what a person leaves of a client's wishes", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;
  let agent: Agent;

  before(async () => {
    const clients = { [robot.id]: { secret: robot.secret, scopes: ["call", "server:files"] } };
    world = await startSigningWorld({ server: { clients } });
    hand = createHand(world);
    await hand.invite(ann, { scopes: ["call"] });
    agent = (await hand.signIn(ann)).agent;
  });
  after(() => world[Symbol.asyncDispose]());

  type Tokens = { access_token: string; refresh_token: string; clientId: string };

  /** The page that a client leads to, as a person who is signed in sees it. */
  async function begin(other: Fields = {}, client?: string) {
    const clientId = client ?? (await hand.newClient());
    const asked = hand.request(clientId, other);
    const page = await hand.follow(agent, await agent.ask(asked.path));
    const finish = async (answer: Answer): Promise<Tokens> => {
      const back = await hand.follow(agent, answer);
      assert.ok(back.location, `${back.status} ${back.text}`);
      const given = await hand.exchange(clientId, back.location, asked.verifier);
      assert.equal(given.status, 200, given.text);
      return { ...(given.json() as Tokens), clientId };
    };
    return { clientId, page, finish };
  }
  const scopeOf = (token: string) => claimsOf(token).scope;

  async function toolsWith(token: string): Promise<string[]> {
    const client = new Client({ name: "probe", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), { requestInit }),
    );
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name).filter((name) => name.includes("__"));
  }

  test("all that was asked for is ticked, and nothing else is there to tick", async () => {
    const { page, finish } = await begin();
    assert.deepEqual(Object.keys(hand.ticked(page)), ["scope.call", "server.files", "server.mail"]);
    assert.equal((page.text.match(/type="checkbox"/g) ?? []).length, 3);
    const { access_token: token } = await finish(await hand.consent(agent, page));
    assert.equal(scopeOf(token), "call");
    assert.deepEqual(await toolsWith(token), ["files__read", "files__write", "mail__send"]);
  });

  test("fewer servers count in every token, are remembered, and stand in the list of grants", async () => {
    const { clientId, page, finish } = await begin();
    const given = await finish(
      await hand.consent(agent, page, { "scope.call": "on", "server.files": "on" }),
    );
    assert.equal(scopeOf(given.access_token), "call server:files");
    assert.deepEqual(await toolsWith(given.access_token), ["files__read", "files__write"]);
    const renewed = (await hand.refresh(clientId, given.refresh_token)).json() as Tokens;
    assert.equal(scopeOf(renewed.access_token), "call server:files");
    const again = await begin({}, clientId);
    assert.ok(again.page.location, "not asked again");
    assert.equal(scopeOf((await again.finish(again.page)).access_token), "call server:files");
    const { grant } = claimsOf(given.access_token);
    const listed = (await world.withPlane((plane) => plane.grants.list())).find(
      ({ id }) => id === grant,
    );
    assert.deepEqual(listed?.scopes, ["call", "server:files"]);

    const changed = await begin({ prompt: "consent" }, clientId);
    assert.deepEqual(
      Object.keys(hand.ticked(changed.page)),
      ["scope.call", "server.files"],
      "as chosen before",
    );
    const all = { "scope.call": "on", "server.files": "on", "server.mail": "on" };
    const wide = await changed.finish(await hand.consent(agent, changed.page, all));
    assert.equal(scopeOf(wide.access_token), "call");
  });

  test("fewer scopes are given, also of a grant that had more", async () => {
    const { clientId, page, finish } = await begin({ scope: "read call" });
    const given = await finish(await hand.consent(agent, page));
    assert.equal(scopeOf(given.access_token), "read call");
    const again = await begin({ scope: "read call", prompt: "consent" }, clientId);
    const { "scope.call": _, ...fewer } = hand.ticked(again.page);
    assert.equal(
      scopeOf((await again.finish(await hand.consent(agent, again.page, fewer))).access_token),
      "read",
    );
    const renewed = (await hand.refresh(clientId, given.refresh_token)).json() as Tokens;
    assert.equal(scopeOf(renewed.access_token), "read");
    const remembered = await begin({ scope: "read call" }, clientId);
    assert.equal(scopeOf((await remembered.finish(remembered.page)).access_token), "read");
  });

  for (const [what, fields] of [
    [
      "scopes that were not asked for",
      { "scope.admin": "on", "scope.read": "on", "scope.*": "on", "scope.call admin": "on" },
    ],
    [
      "a server that is not the person's",
      { "server.other": "on", "server.*": "on", "scope.server:mail": "on" },
    ],
    [
      "the fields of another page",
      { scope: "admin", scopes: "admin", limits: "", isChosen: "false", grantId: "x" },
    ],
  ] as [string, Fields][])
    test(`a form with ${what} gives no more than was asked for`, async () => {
      const { page, finish } = await begin();
      const few = { "scope.call": "on", "server.files": "on" };
      const { access_token: token } = await finish(
        await hand.consent(agent, page, { ...few, ...fields }),
      );
      assert.equal(scopeOf(token), "call server:files");
    });

  for (const [what, scope, fields] of [
    ["nothing", "call", {}],
    ["no server", "call", { "scope.call": "on" }],
    ["nothing that may be done", "call", { "server.files": "on" }],
    [
      "no limit, where one was asked for",
      "call server:files",
      { "scope.call": "on", "server.mail": "on" },
    ],
  ] as [string, string, Fields][])
    test(`a form that leaves ${what} is refused, and the page stays`, async () => {
      const { page, finish } = await begin({ scope });
      const answer = await hand.consent(agent, page, fields);
      assert.equal(answer.status, 400);
      assert.match(answer.text, /Leave .* or deny it/);
      assert.equal(answer.location, null);
      await finish(await hand.consent(agent, answer));
    });

  test("a client does not get rid of a limit by leaving it out", async () => {
    const { clientId, page, finish } = await begin({ scope: "call server:files" });
    const given = await finish(await hand.consent(agent, page));
    assert.equal(scopeOf(given.access_token), "call server:files");
    const renewed = (
      await hand.refresh(clientId, given.refresh_token, { scope: "call" })
    ).json() as Tokens;
    assert.equal(scopeOf(renewed.access_token), "call server:files");
    const more = await begin({ scope: "call" }, clientId);
    assert.match(more.page.text, /Allow<\/button>/, "for all servers the person is asked");
    assert.equal(
      scopeOf((await more.finish(await hand.consent(agent, more.page))).access_token),
      "call",
    );
  });

  test("nor by naming a server that is not there", async () => {
    const { page } = await begin({ scope: "call server:gone" });
    assert.deepEqual([page.status, page.location], [400, null]);
    assert.match(page.text, /does not have: server:gone/);
  });

  test("nor does a program that signs in as itself", async () => {
    const authorization = `Basic ${Buffer.from(`${robot.id}:${robot.secret}`).toString("base64")}`;
    for (const scope of [undefined, "call", "call server:files"]) {
      const fields = { grant_type: "client_credentials", resource: `${world.url}/mcp`, scope };
      const answer = await hand.token(fields, { authorization });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(scopeOf(String(answer.json().access_token)), "call server:files");
    }
  });

  test("a stranger sees no page", async () => {
    const { page } = await begin();
    const fields = hand.ticked(page);
    assert.equal(
      (await createAgent(world.url).post(`/sign-in/${hand.uidIn(page)}/consent`, fields)).status,
      400,
    );
  });
});
