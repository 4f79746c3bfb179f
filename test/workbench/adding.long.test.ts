import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { fixtureCommand } from "../fixtures/start-server.ts";
import { noBrowser, openWorld } from "./browser.ts";

suite("adding a server in the browser", { skip: noBrowser }, () => {
  test("whatever names a server is recognised, asked about, tried and written", async () => {
    await using world = await openWorld({}, {});
    const { page, complaints } = await world.visit("/servers");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "Anything" }).click();
    const { command, args } = fixtureCommand("echo");
    const entry = { command, args, env: { ECHO_TOKEN: "<your token>" } };
    await page.getByLabel("What to add").fill(JSON.stringify({ mcpServers: { echo: entry } }));
    await page.getByRole("button", { name: "Recognise" }).click();
    await page.getByRole("button", { name: "Try and add echo" }).click();
    await page.getByText("'echo' needs ECHO_TOKEN").waitFor();
    await page.getByRole("button", { name: "Add echo anyway" }).waitFor();
    await page.getByLabel("ECHO_TOKEN").fill("only for the trial");
    await page.getByRole("button", { name: "Try and add echo" }).click();
    await page.getByText("Added echo, 17 tools.").waitFor();
    await page.getByRole("link", { name: "echo", exact: true }).waitFor();
    const written = readFileSync(world.config, "utf8");
    assert.match(written, /"ECHO_TOKEN":\s?"\$\{ECHO_TOKEN\}"/);
    assert.doesNotMatch(written, /only for the trial/);
    assert.deepEqual(
      complaints.filter((text) => !/status of 400/.test(text)),
      [],
    );
  });
});
