import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { claimsOf, createHand } from "../scenarios/signing-by-hand.ts";
import { noBrowser, openBrowser } from "./chromium.ts";
import { password, type SigningWorld, startSigningWorld } from "./signing-world.ts";

const [ann, bob] = ["ann@example.org", "bob@example.org"];

/** A site of its own: to a browser, each port is another origin. */
async function startSite(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client whose address for the way back sends the browser on to another site, with what it got. */
async function startClient() {
  const home = await startSite((request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end(`Home ${request.url}`);
  });
  const site = await startSite(async (request, response) => {
    const fields =
      request.method === "POST" ? await text(request) : (request.url ?? "").split("?")[1];
    response.writeHead(303, { location: `${home.url}/?${fields}` }).end();
  });
  return {
    redirectUri: `${site.url}/callback`,
    /** What the client got. */
    async landed(page: Page): Promise<URLSearchParams> {
      await page.getByText("Home /").waitFor();
      return new URL(page.url()).searchParams;
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

suite("the way back to a client, in a browser", { skip: noBrowser }, () => {
  let world: SigningWorld;
  let browser: Browser;
  let hand: ReturnType<typeof createHand>;
  let client: Awaited<ReturnType<typeof startClient>>;

  before(async () => {
    world = await startSigningWorld();
    hand = createHand(world);
    client = await startClient();
    browser = await openBrowser();
    for (const user of [ann, bob]) await hand.invite(user);
  });
  after(async () => {
    await browser.close();
    await client[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  const newClient = () => hand.newClient({ redirect_uris: [client.redirectUri] });
  async function open(page: Page, clientId: string, other: object = {}) {
    const { path, verifier } = hand.request(clientId, {
      redirect_uri: client.redirectUri,
      ...other,
    });
    await page.goto(world.url + path);
    return verifier;
  }
  async function signIn(page: Page, user: string): Promise<void> {
    await page.getByLabel("Name or e-mail").fill(user);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in with a password" }).click();
  }
  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();
  async function userOf(
    clientId: string,
    landed: URLSearchParams,
    verifier: string,
  ): Promise<unknown> {
    const back = new URL(`${client.redirectUri}?${landed}`);
    const given = await hand.exchange(clientId, back, verifier, {
      redirect_uri: client.redirectUri,
    });
    assert.equal(given.status, 200, given.text);
    return claimsOf(String(given.json().access_token)).sub;
  }

  for (const mode of ["query", "form_post"])
    test(`goes on to where the client sends the browser, after a yes and after a no (${mode})`, async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const clientId = await newClient();
      const asked = { response_mode: mode };
      await open(page, clientId, asked);
      await press(page, "Cancel");
      assert.equal((await client.landed(page)).get("error"), "access_denied");
      await open(page, clientId, asked);
      await signIn(page, ann);
      await press(page, "Deny");
      assert.equal((await client.landed(page)).get("error"), "access_denied");
      const verifier = await open(page, clientId, asked);
      await press(page, "Allow");
      const landed = await client.landed(page);
      assert.equal(landed.get("state"), "state of the client");
      assert.equal(await userOf(clientId, landed, verifier), ann);
      await open(page, clientId, asked);
      assert.ok((await client.landed(page)).get("code"), "it is remembered");
      await context.close();
    });

  test("is that of the person who signs in, where another was signed in in this browser", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await open(page, await newClient());
    await signIn(page, ann);
    await press(page, "Allow");
    await client.landed(page);
    const clientId = await newClient();
    const verifier = await open(page, clientId, { prompt: "login" });
    await signIn(page, bob);
    await page.getByText("You are signed in as bob@example.org").waitFor();
    await press(page, "Allow");
    assert.equal(await userOf(clientId, await client.landed(page), verifier), bob);
    await page.goto(`${world.url}/sign-in/access`);
    await page.getByRole("heading", { name: `What clients may do for ${bob}` }).waitFor();
    await context.close();
  });

  test("is not that of a person who left the browser to another meanwhile, and a no gets back all the same", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const clientId = await newClient();
    await open(page, clientId);
    await signIn(page, ann);
    await page.getByText("You are signed in as ann@example.org").waitFor();
    const denied = await context.newPage();
    await open(denied, await newClient());
    await denied.getByText("You are signed in as ann@example.org").waitFor();
    const other = await context.newPage();
    await open(other, await newClient(), { prompt: "login" });
    await signIn(other, bob);
    await other.getByText("You are signed in as bob@example.org").waitFor();
    await press(page, "Allow");
    await page.getByText("begin again").waitFor();
    const grants = await world.withPlane((plane) => plane.grants.list());
    assert.ok(grants.every((grant) => grant.client.id !== clientId));
    await press(denied, "Deny");
    assert.equal((await client.landed(denied)).get("error"), "access_denied");
    await context.close();
  });
});
