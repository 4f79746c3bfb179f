import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startOAuth } from "../contracts/signing-in.ts";
import { password, type SigningWorld, startSigningWorld } from "../workbench/signing-world.ts";
import { type Agent, createHand } from "./signing-by-hand.ts";

const ann = "ann@example.org";

suite("a server behind the plane that needs a person's own account", () => {
  let world: SigningWorld;
  let hand: ReturnType<typeof createHand>;
  let oauth: Awaited<ReturnType<typeof startOAuth>>;
  let token: string;
  let agent: Agent;

  before(async () => {
    oauth = await startOAuth();
    const remote = { url: oauth.url, auth: { type: "oauth" } };
    world = await startSigningWorld({}, { mcpServers: { remote, other: { ...remote } } });
    hand = createHand(world);
    await hand.invite(ann);
    const signedIn = await hand.signIn(ann);
    token = signedIn.access_token;
    agent = signedIn.agent;
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await oauth[Symbol.asyncDispose]();
  });

  /** Follows the link as the person's browser would; the way back included. */
  async function visit(url: string): Promise<string> {
    const page = await hand.follow(agent, await agent.ask(new URL(url).pathname));
    assert.match(page.text, /data-account="remote"/);
    const begun = await agent.prove("/servers/remote/sign-in");
    assert.equal(begun.status, 200, begun.text);
    const sent = await fetch(String(begun.json().url), { redirect: "manual" });
    const { pathname, search } = new URL(sent.headers.get("location") ?? "");
    return (await agent.ask(pathname + search)).text;
  }

  async function connect(mode: "legacy" | "auto", capabilities: object, query = "") {
    const client = new Client(
      { name: "probe", version: "1" },
      { versionNegotiation: { mode }, capabilities },
    );
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${world.url}/mcp${query}`), {
        requestInit: { headers },
      }),
    );
    return client;
  }
  /** A person who opens what they are asked to open; the addresses so far. */
  function visitsWhenAsked(client: Client): string[] {
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      const { url = "" } = params as { url?: string };
      asked.push(url);
      await visit(url);
      return { action: "accept" };
    });
    return asked;
  }
  const forget = () =>
    world.withPlane((plane) =>
      plane.as({ ...plane.identity.usualCaller(), user: ann }).tokens.forget("remote"),
    );
  const echo = { name: "remote__echo", arguments: { message: "hello" } };

  test("a client that cannot open a page gets the link as text", async () => {
    const client = await connect("legacy", {});
    const refused = await client.callTool(echo);
    assert.equal(refused.isError, true);
    const [, url = ""] = /Open (\S+) in a browser/.exec(JSON.stringify(refused.content)) ?? [];
    assert.equal(url, `${world.url}/account/remote`);
    assert.match(await visit(url), /Signed in to 'remote'/);
    assert.match(JSON.stringify((await client.callTool(echo)).content), /hello/);
    await client.close();
  });

  for (const mode of ["legacy", "auto"] as const)
    test(`a client that can opens it, and the call goes on, also after the sign-in was lost (${mode})`, async () => {
      await forget();
      const client = await connect(mode, { elicitation: { url: {} } });
      const asked = visitsWhenAsked(client);
      assert.match(JSON.stringify((await client.callTool(echo)).content), /hello/);
      await oauth.command("revoke");
      assert.match(JSON.stringify((await client.callTool(echo)).content), /hello/);
      assert.deepEqual(asked, [`${world.url}/account/remote`, `${world.url}/account/remote`]);
      await client.close();
    });

  test("a prompt of such a server asks too, and is read afterwards; other clients get the link", async () => {
    const client = await connect("legacy", { elicitation: { url: {} } });
    const asked = visitsWhenAsked(client);
    await client.callTool(echo);
    const { prompts } = await client.listPrompts();
    const [greeting] = prompts.filter(({ name }) => name.endsWith("greeting"));
    const prompt = { name: greeting?.name ?? "" };
    await oauth.command("revoke");
    assert.match(JSON.stringify(await client.getPrompt(prompt)), /Say hello/);
    assert.deepEqual(asked.slice(-1), [`${world.url}/account/remote`]);
    await client.close();
    const other = await connect("legacy", {});
    await oauth.command("revoke");
    await assert.rejects(other.getPrompt(prompt), /Open \S+\/account\/remote in a browser/);
    await visit(`${world.url}/account/remote`);
    await other.close();
  });

  const program = {
    code: "return await Promise.all(['one', 'two'].map((message) => tools.remote.echo({ message })))",
  };
  const runCode = { name: "run_code", arguments: program };

  for (const mode of ["legacy", "auto"] as const)
    test(`a program whose calls need one asks once, and goes on, also after the sign-in was lost (${mode})`, async () => {
      await forget();
      const client = await connect(mode, { elicitation: { url: {} } }, "?mode=code");
      const asked = visitsWhenAsked(client);
      assert.match(JSON.stringify((await client.callTool(runCode)).content), /one.*two/);
      await oauth.command("revoke");
      assert.match(JSON.stringify((await client.callTool(runCode)).content), /one.*two/);
      assert.deepEqual(asked, [`${world.url}/account/remote`, `${world.url}/account/remote`]);
      await client.close();
    });

  test("a program of a client that cannot open a page fails with the link as text", async () => {
    await forget();
    const client = await connect("legacy", {}, "?mode=code");
    const refused = await client.callTool(runCode);
    assert.equal(refused.isError, true);
    assert.match(
      JSON.stringify(refused.content),
      new RegExp(`Open ${world.url}/account/remote in a browser`),
    );
    await client.close();
  });

  test("a program whose person does not want to is asked once, and reads why", async () => {
    await forget();
    const client = await connect("auto", { elicitation: { url: {} } }, "?mode=code");
    let asked = 0;
    client.setRequestHandler("elicitation/create", async () => {
      asked += 1;
      return { action: "decline" };
    });
    const refused = await client.callTool(runCode);
    assert.equal(refused.isError, true);
    assert.match(JSON.stringify(refused.content), /needs an account of yours/);
    assert.equal(asked, 1);
    await client.close();
  });

  test("a person who does not want to is not asked twice for one call", async () => {
    await forget();
    const client = await connect("auto", { elicitation: { url: {} } });
    client.setRequestHandler("elicitation/create", async () => ({ action: "decline" }));
    const refused = await client.callTool(echo);
    assert.equal(refused.isError, true);
    assert.match(JSON.stringify(refused.content), /needs an account of yours/);
    await client.close();
  });

  test("accounts are shown to a token for their server, and to no other", async () => {
    await visit(`${world.url}/account/remote`);
    const shown = async (scope: string) => {
      const { access_token } = await hand.signIn(ann, agent, { scope, resource: world.url });
      const answer = await fetch(`${world.url}/tokens`, {
        headers: { authorization: `Bearer ${access_token}` },
      });
      return ((await answer.json()) as { tokens: { server: string }[] }).tokens.map(
        ({ server }) => server,
      );
    };
    assert.deepEqual(await shown("call"), ["remote"]);
    assert.deepEqual(await shown("call server:remote"), ["remote"]);
    assert.deepEqual(await shown("call server:other"), []);
  });

  test("the link leads a stranger to the sign-in, and then back to it", async () => {
    const { createAgent } = await import("./signing-by-hand.ts");
    const stranger = createAgent(world.url);
    const link = await hand.follow(stranger, await stranger.ask("/account/remote"));
    assert.match(link.text, /data-account="remote"/);
    assert.equal((await stranger.prove("/servers/remote/sign-in")).status, 401);
    const asked = await stranger.ask("/sign-in/workbench?to=/account/remote");
    const page = await hand.follow(stranger, asked);
    assert.match(page.text, /<h1>Sign in<\/h1>/);
    const fields = { user: ann, password };
    let back = await stranger.post(`/sign-in/${hand.uidIn(page)}/password`, fields);
    while (back.location !== null && !back.location.pathname.startsWith("/account/"))
      back = await stranger.ask(back.location.pathname + back.location.search);
    assert.equal(back.location?.pathname, "/account/remote");
    assert.equal((await agent.prove("/servers/nowhere/sign-in")).status, 404);
  });
});
