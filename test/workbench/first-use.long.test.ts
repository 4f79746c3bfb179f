import assert from "node:assert/strict";
import { test } from "node:test";
import { fixtureCommand } from "../fixtures/start-server.ts";
import { accessibilityProblems, noBrowser, openWorld } from "./browser.ts";

test("an empty plane leads from the first server over a call to a client, remembers it, and shows you around", {
  skip: noBrowser,
}, async () => {
  await using world = await openWorld({}, {});
  const { page, complaints } = await world.visit("/");
  await page.getByRole("heading", { name: "Get started: 0 of 3 done" }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "Error rate" }).count(), 0);
  await page.getByRole("button", { name: "Show me around" }).click();
  for (let hint = 1; hint < 5; hint += 1) await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("5 of 5").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Add a server" }).click();
  const { command, args } = fixtureCommand("echo");
  await page
    .getByLabel("What to add")
    .fill(JSON.stringify({ mcpServers: { echo: { command, args } } }));
  await page.getByRole("button", { name: "Try and add echo" }).click();
  await page.getByRole("heading", { name: "Get started: 1 of 3 done" }).waitFor();
  await page.getByRole("link", { name: "Choose a tool" }).waitFor();
  await fetch(`${world.url}/tools/echo.echo/call`, {
    method: "POST",
    headers: world.proof,
    body: JSON.stringify({ arguments: { message: "hi" } }),
  });
  await page.getByRole("heading", { name: "Get started: 2 of 3 done" }).waitFor();
  await page.getByRole("button", { name: "Connect your client" }).click();
  await page.getByText(`claude mcp add --transport http toolplane ${world.url}/mcp`).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole("button", { name: "Hide" }).click();
  await page.reload();
  await page.getByRole("heading", { name: "Error rate" }).waitFor();
  assert.equal(await page.getByText("Get started").count(), 0);
  assert.deepEqual(complaints, []);
});
