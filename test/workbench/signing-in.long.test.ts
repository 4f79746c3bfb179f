import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { fixture } from "../scenarios/support.ts";
import { noBrowser, openWorld, type Page, type World } from "./browser.ts";

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Everything that a script in the page could find. */
async function readable(page: Page): Promise<string> {
  const storage = await page.evaluate<string>(
    "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])",
  );
  return storage + (await page.content());
}

suite("a plane that wants to know who asks", { skip: noBrowser }, () => {
  let world: World;
  let key: string;
  before(async () => {
    world = await openWorld({ echo: fixture("echo") });
    key = await world.createKey("laptop", "admin");
  });
  after(() => world[Symbol.asyncDispose]());

  test("a key opens it, is kept nowhere in the page, and signing out closes it", async () => {
    const { page, context } = await world.visit("/servers");
    await signIn(page, "tp_not-a-key");
    await page.getByText("Key or token refused.").waitFor();
    await signIn(page, key);
    await page.getByRole("link", { name: "echo", exact: true }).waitFor();
    assert.ok(!(await readable(page)).includes(key));
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, "Strict"]);
    assert.notEqual(cookie?.value, key);
    await page.reload();
    await page.getByRole("link", { name: "echo", exact: true }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
  });

  test("servers are added by pasting, and removed after asking", async () => {
    const { page } = await world.visit("/servers");
    await signIn(page, key);
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "Paste JSON" }).click();
    const pasted = { servers: { more: { type: "stdio", ...fixture("echo") } } };
    await page.getByLabel("Configuration").fill(JSON.stringify(pasted));
    await page.getByRole("button", { name: "Add more" }).click();
    await page.getByRole("link", { name: "more", exact: true }).waitFor();
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "Paste JSON" }).click();
    await page
      .getByLabel("Configuration")
      .fill(JSON.stringify({ mcpServers: { ...pasted.servers, odd: {} } }));
    await page.getByText("more: there is a server of that name.").waitFor();
    await page.getByText("Left out: odd (it has neither a command nor a url).").waitFor();
    await page.getByRole("button", { name: "Replace more" }).click();
    await page.getByRole("link", { name: "more", exact: true }).click();
    await page.getByText("17 in the catalogue").waitFor();
    assert.match(readFileSync(world.config, "utf8"), /"more"/);
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByRole("heading", { name: "Servers", level: 1 }).waitFor();
    await page.getByRole("link", { name: "more", exact: true }).waitFor({ state: "detached" });
    assert.doesNotMatch(readFileSync(world.config, "utf8"), /"more"/);
  });

  test("a key that is made is shown once, works, and is of no use when it is revoked", async () => {
    // A link from before keys had a page of their own.
    const { page } = await world.visit("/settings?view=keys");
    await signIn(page, key);
    await page.getByRole("heading", { name: "Users and keys", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill("reader");
    await page.getByLabel("Scope").selectOption("read");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const secret = (await page.getByRole("group", { name: "key" }).textContent()) ?? "";
    assert.match(secret, /^tp_/);
    await page.getByRole("button", { name: "Done" }).click();
    // In the list, and not in the dialog, whose title has the same word.
    const entry = page.getByRole("listitem").filter({ hasText: "reader" });
    await entry.waitFor();
    assert.ok(!(await readable(page)).includes(secret));

    const other = await world.open("/servers");
    await signIn(other.page, secret);
    await other.page.getByRole("link", { name: "echo", exact: true }).waitFor();
    assert.ok(await other.page.getByRole("button", { name: "Add server" }).isDisabled());
    await other.page.goto(`${world.url}/workbench/tools`);
    await other.page.getByText("echo.echo", { exact: true }).waitFor();
    await other.page.goto(`${world.url}/workbench/tools/echo.echo`);
    await other.page.getByRole("link", { name: "Try" }).last().waitFor();
    assert.equal(await other.page.getByRole("link", { name: "Edit" }).count(), 0);
    await other.page.goto(`${world.url}/workbench/policy`);
    await other.page.getByText("Only admins can see the rules").waitFor();
    await other.page.locator("datalist option").first().waitFor({ state: "attached" });

    await entry.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await entry.getByText("revoked").waitFor();
    // A person who only looks on is shut out as well.
    await other.page.getByLabel("API key").waitFor();
    await other.context.close();
  });
});
