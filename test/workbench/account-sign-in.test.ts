import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, suite, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { buildWorkbenchIfStale } from "../../scripts/build-workbench.ts";
import { startOAuth } from "../contracts/signing-in.ts";
import { createAgent, createHand } from "../scenarios/signing-by-hand.ts";
import { namedServer } from "../scenarios/support.ts";
import { noBrowser, openBrowser } from "./chromium.ts";
import {
  acceptWithPassword,
  password,
  type SigningWorld,
  startSigningWorld,
} from "./signing-world.ts";

/** A server of another program on the same host. */
async function startThief() {
  const arrived = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    response.end("Welcome.");
    if (request.url === "/") arrived.resolve(request.headers.cookie ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/`,
    nextCookie: () => arrived.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ann = "ann@example.org";

suite("the workbench of a plane that signs people in", { skip: noBrowser }, () => {
  let world: SigningWorld;
  let browser: Browser;
  let oauth: Awaited<ReturnType<typeof startOAuth>>;

  before(async () => {
    await buildWorkbenchIfStale();
    oauth = await startOAuth();
    const remote = { url: oauth.url, auth: { type: "oauth" } };
    const mcpServers = { files: namedServer("files", ["read"]), remote };
    world = await startSigningWorld({}, { mcpServers });
    browser = await openBrowser();
    const { url } = await world.withPlane((plane) =>
      plane.people.invite({ user: ann, scopes: ["admin"] }),
    );
    const page = await browser.newPage();
    await acceptWithPassword(page, url);
    await page.close();
  });
  after(async () => {
    await browser.close();
    await world[Symbol.asyncDispose]();
    await oauth[Symbol.asyncDispose]();
  });

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel("Name or e-mail").fill(ann);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in with a password" }).click();
  }

  test("leads to the sign-in and back to the same place, and out again", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${world.url}/workbench/servers`);
    await page.getByRole("link", { name: "Sign in with your account" }).click();
    await signIn(page);
    await page.getByRole("link", { name: "files", exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/workbench/servers");
    await page.getByText(ann).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in with your account" }).waitFor();
    await page.getByRole("link", { name: "Sign in with your account" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await context.close();
  });

  test("goes on after a reload and in a new tab, and asks again where the page lost its secret", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${world.url}/workbench/servers`);
    await page.getByRole("link", { name: "Sign in with your account" }).click();
    await signIn(page);
    await page.getByText(ann).waitFor();
    await page.reload();
    await page.getByText(ann).waitFor();
    const tab = await context.newPage();
    await tab.goto(`${world.url}/workbench/servers`);
    await tab.getByText(ann).waitFor();
    await tab.evaluate("localStorage.clear()");
    await tab.reload();
    await tab.getByRole("link", { name: "Sign in with your account" }).click();
    await signIn(tab);
    await tab.getByText(ann).waitFor();
    await context.close();
  });

  test("opens the link to an account of a server after the sign-in", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${world.url}/account/remote`);
    await signIn(page);
    await page.getByText("Signed in to 'remote'").waitFor();
    await page.goto(`${world.url}/account/nowhere`);
    await page.getByText("nowhere").waitFor();
    await context.close();
  });

  test("is no one to a program on another port, which browsers send all cookies of the host", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${world.url}/workbench/servers`);
    await page.getByRole("link", { name: "Sign in with your account" }).click();
    await signIn(page);
    await page.getByText(ann).waitFor();
    await using thief = await startThief();
    const arrived = thief.nextCookie();
    await page.goto(thief.url);
    const cookie = await arrived;
    assert.match(cookie, /toolplane_session=/, "the browser has sent it");
    for (const more of [{}, { "x-toolplane-session": "guessed" }, { origin: world.url }]) {
      const headers = { cookie, "x-toolplane-face": "workbench", ...more };
      const answer = await fetch(`${world.url}/session`, { headers });
      assert.equal(answer.status, 401, await answer.text());
    }
    assert.equal(await page.evaluate("localStorage.getItem('toolplane.session')"), null);
    await context.close();
  });

  test("keeps what was typed when the session ends meanwhile", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${world.url}/workbench/users?view=keys`);
    await page.getByRole("link", { name: "Sign in with your account" }).click();
    await signIn(page);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill("a name that took thought");
    const other = await context.newPage();
    await other.goto(`${world.url}/sign-in/access`);
    await other
      .getByRole("row")
      .filter({ hasText: "This browser" })
      .getByRole("button", { name: "Sign out" })
      .click();
    await other.getByRole("heading", { name: "Signed out" }).waitFor();
    // Whatever the page asks next shows that the session is over.
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole("heading", { name: "Your session is over" }).waitFor();
    const [popup] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: "Sign in with your account" }).click(),
    ]);
    await signIn(popup);
    await popup.getByRole("heading", { name: "You are signed in" }).waitFor();
    await popup.close();
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await page
      .getByRole("heading", { name: "Your session is over" })
      .waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Name").inputValue(), "a name that took thought");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("group", { name: "key" }).waitFor();
    await context.close();
  });

  test("its cookie opens nothing to another page, nor without the workbench's word", async () => {
    const hand = createHand(world);
    const agent = createAgent(world.url);
    await hand.allow(agent, hand.request(await hand.newClient()).path, ann);
    const ask = async (headers: Record<string, string>) =>
      (await agent.ask("/session", { headers })).status;
    assert.equal(await ask(agent.proof), 200);
    assert.equal(await ask({}), 401);
    assert.equal(await ask({ "x-toolplane-face": "workbench" }), 401);
    assert.equal(await ask(createAgent(world.url).proof), 401);
    assert.equal(await ask({ ...agent.proof, origin: "https://evil.example" }), 403);
    assert.equal(await ask({ ...agent.proof, "sec-fetch-site": "cross-site" }), 403);
  });

  for (const to of [
    "https://evil.example",
    "//evil.example",
    "/workbench/\\evil.example",
    "/oauth/end",
    "javascript:x",
  ])
    test(`a sign-in does not lead to ${to} afterwards`, async () => {
      const hand = createHand(world);
      const agent = createAgent(world.url);
      await hand.allow(agent, hand.request(await hand.newClient()).path, ann);
      const asked = `to=${encodeURIComponent(to)}`;
      const { location } = await agent.ask(`/sign-in/workbench?${asked}`);
      assert.equal(location?.searchParams.get("state"), "/workbench/");
      const back = await agent.ask(`/sign-in/access/back?state=${encodeURIComponent(to)}`);
      assert.equal(back.location?.href, `${world.url}/sign-in/access`);
    });
});
