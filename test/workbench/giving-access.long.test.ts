import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { buildWorkbenchIfStale } from "../../scripts/build-workbench.ts";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld } from "./browser.ts";
import { openBrowser } from "./chromium.ts";
import { acceptWithPassword, password, startSigningWorld } from "./signing-world.ts";

suite("giving a colleague access in the browser", { skip: noBrowser }, () => {
  test("the first key is made on the page, which is signed in with it; the second is the colleague's", async () => {
    await using world = await openWorld({ echo: fixture("echo") });
    const { page } = await world.visit("/users");
    await page.getByRole("tab", { name: "Keys" }).click();
    await page.getByRole("button", { name: "Create the first key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("every client needs one, also those that are connected now").waitFor();
    assert.equal(await dialog.getByLabel("Scope").inputValue(), "admin");
    assert.deepEqual(await accessibilityProblems(page), []);
    await dialog.getByLabel("Name").fill("mine");
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    const mine = (await dialog.getByRole("group", { name: "key" }).textContent()) ?? "";
    assert.match(mine, /^tp_/);
    await dialog.getByText("This page is signed in with it").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    assert.equal((await fetch(`${world.url}/tools`)).status, 401);

    await page.getByRole("button", { name: "Create key" }).click();
    await dialog.getByLabel("Name").fill("laptop of Ann");
    await dialog.getByLabel("User").fill("ann@example.org");
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    const theirs = (await dialog.getByRole("group", { name: "key" }).textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    await page
      .getByRole("listitem")
      .filter({ hasText: "laptop of Ann" })
      .getByText("ann@example.org")
      .waitFor();
    const headers = { authorization: `Bearer ${theirs}` };
    assert.equal((await fetch(`${world.url}/tools`, { headers })).status, 200);
  });

  test("where people sign in, a person is invited with a link, and removed again", async () => {
    await buildWorkbenchIfStale();
    await using world = await startSigningWorld();
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const { url } = await world.withPlane((plane) =>
        plane.people.invite({ user: "me", scopes: ["admin"] }),
      );
      await acceptWithPassword(page, url);
      await page.goto(`${world.url}/workbench/users?view=people`);
      await page.getByRole("link", { name: "Sign in with your account" }).click();
      await page.getByLabel("Name or e-mail").fill("me");
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in with a password" }).click();
      await page.getByText("with a password").waitFor();
      await page.getByRole("button", { name: "Invite" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name or e-mail address").fill("ann@example.org");
      await dialog.getByRole("button", { name: "Invite" }).click();
      const link = (await dialog.getByRole("group", { name: "link" }).textContent()) ?? "";
      await dialog.getByRole("button", { name: "Done" }).click();
      const ann = page.getByRole("listitem").filter({ hasText: "ann@example.org" });
      await ann.getByText("the invitation ends").waitFor();
      assert.deepEqual(await accessibilityProblems(page), []);

      const visitor = await browser.newContext();
      await acceptWithPassword(await visitor.newPage(), link);
      await visitor.close();
      await page.reload();
      await ann.getByText("with a password").waitFor();
      await ann.getByRole("button", { name: "Remove" }).click();
      await dialog.getByRole("button", { name: "Remove" }).click();
      await ann.waitFor({ state: "detached" });
    } finally {
      await browser.close();
    }
  });
});
