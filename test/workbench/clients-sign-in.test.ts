import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Browser, BrowserContext } from "playwright-core";
import { noBrowser, openBrowser } from "./chromium.ts";
import {
  acceptWithPasskey,
  acceptWithPassword,
  addAuthenticator,
  allow,
  createClientStore,
  type SigningWorld,
  startLoopback,
  startSigningWorld,
  takeBack,
} from "./signing-world.ts";

const ann = "ann@example.org";

suite("a client that knows only the address of the plane", { skip: noBrowser }, () => {
  let world: SigningWorld;
  let browser: Browser;
  let context: BrowserContext;

  before(async () => {
    world = await startSigningWorld();
    browser = await openBrowser();
    context = await browser.newContext();
    const { url } = await world.withPlane((plane) =>
      plane.people.invite({ user: ann, groups: ["ops"] }),
    );
    const page = await context.newPage();
    await acceptWithPassword(page, url);
    await page.close();
  });
  after(async () => {
    await browser.close();
    await world[Symbol.asyncDispose]();
  });

  async function connect(
    mode: "legacy" | "auto",
    loopback: Awaited<ReturnType<typeof startLoopback>>,
  ) {
    const store = createClientStore(loopback.redirectUri);
    const address = new URL(`${world.url}/mcp`);
    const open = () =>
      new Client({ name: "probe", version: "1" }, { versionNegotiation: { mode } });
    const first = new StreamableHTTPClientTransport(address, { authProvider: store.provider });
    await assert.rejects(open().connect(first), /Unauthorized|authoriz/i);
    const returned = loopback.next();
    await allow(context, store.sent(), ann);
    await first.finishAuth(await returned);
    const client = open();
    const transport = new StreamableHTTPClientTransport(address, { authProvider: store.provider });
    await client.connect(transport);
    return { client, store };
  }

  for (const mode of ["legacy", "auto"] as const)
    test(`registers, signs its person in, lists, calls, renews and is revoked (${mode})`, async () => {
      await using loopback = await startLoopback();
      const { client, store } = await connect(mode, loopback);
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === "files__read"));
      const called = await client.callTool({ name: "files__read", arguments: {} });
      assert.match(JSON.stringify(called.content), /files:read/);

      const { tokens } = store.stored;
      const [, payload = ""] = tokens?.access_token.split(".") ?? [];
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<
        string,
        unknown
      >;
      assert.deepEqual(
        [claims.iss, claims.aud, claims.sub, claims.groups, claims.scope],
        [world.url, `${world.url}/mcp`, ann, ["ops"], "call"],
      );
      store.stored.tokens = { ...tokens, access_token: "not.a.token" } as typeof tokens & object;
      assert.match(
        JSON.stringify(await client.callTool({ name: "files__read", arguments: {} })),
        /files:read/,
      );
      assert.notEqual(store.stored.tokens.refresh_token, tokens?.refresh_token, "renewed");

      const [grant] = (await world.withPlane((plane) => plane.grants.list())).filter(
        ({ id }) => id === claims.grant,
      );
      assert.ok(grant);
      assert.deepEqual(
        [grant.user, grant.client.name, grant.client.verified, grant.scopes],
        [ann, "Probe", false, ["call"]],
      );
      const page = await context.newPage();
      await takeBack(page, world.url, grant.id);
      await page.close();
      await assert.rejects(
        client
          .listTools(undefined, { cacheMode: "reload" } as never)
          .then(() => client.callTool({ name: "files__read", arguments: {} })),
      );
      await client.close().catch(() => undefined);
    });

  test("of the first SDK does the same", async () => {
    await using loopback = await startLoopback();
    const store = createClientStore(loopback.redirectUri, "First SDK");
    const address = new URL(`${world.url}/mcp`);
    const begin = new FirstTransport(address, { authProvider: store.provider as never });
    await assert.rejects(
      new FirstClient({ name: "probe", version: "1" }).connect(begin as never),
      /Unauthorized/,
    );
    const returned = loopback.next();
    await allow(context, store.sent(), ann);
    await begin.finishAuth((await returned).get("code") ?? "");
    const client = new FirstClient({ name: "probe", version: "1" });
    await client.connect(
      new FirstTransport(address, { authProvider: store.provider as never }) as never,
    );
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === "mail__send"));
    assert.match(
      JSON.stringify(await client.callTool({ name: "mail__send", arguments: {} })),
      /mail:send/,
    );
    store.stored.tokens = { ...store.stored.tokens, access_token: "not.a.token" };
    assert.match(
      JSON.stringify(await client.callTool({ name: "mail__send", arguments: {} })),
      /mail:send/,
    );
    const mine = (await world.withPlane((plane) => plane.grants.list())).find(
      (one) => one.client.name === "First SDK",
    );
    assert.ok(mine);
    const page = await context.newPage();
    await takeBack(page, world.url, mine.id);
    await page.close();
    await assert.rejects(client.callTool({ name: "mail__send", arguments: {} }));
    await client.close();
  });

  test("a passkey signs in where a password would", async () => {
    const { url } = await world.withPlane((plane) =>
      plane.people.invite({ user: "bob@example.org" }),
    );
    const own = await browser.newContext();
    const page = await own.newPage();
    await addAuthenticator(page);
    await acceptWithPasskey(page, url);
    await page.goto(`${world.url}/sign-in/access`);
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByRole("heading", { name: "What clients may do for bob@example.org" }).waitFor();
    await page.goto(url);
    await page.getByText("This invitation is used or over").waitFor();
    await own.close();
  });
});
