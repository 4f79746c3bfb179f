import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { fixtureCommand } from "../fixtures/start-server.ts";
import { accessibilityProblems, noBrowser, openWorld } from "./browser.ts";

suite("adding a server in the browser", { skip: noBrowser }, () => {
  test("whatever names a server is recognised, asked about, tried and written", async () => {
    await using world = await openWorld({}, {});
    const { page, complaints } = await world.visit("/servers");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "Anything" }).click();
    const { command, args } = fixtureCommand("echo");
    const entry = { command, args, env: { ECHO_TOKEN: "<your token>" } };
    await page.getByLabel("What to add").fill(JSON.stringify({ mcpServers: { echo: entry } }));
    await page.getByRole("button", { name: "Try and add echo" }).click();
    await page.getByText("'echo' needs ECHO_TOKEN").waitFor();
    await page.getByRole("button", { name: "Add echo anyway" }).waitFor();
    await page.getByLabel("ECHO_TOKEN").fill("only for the trial");
    await page.getByRole("button", { name: "Try and add echo" }).click();
    await page.getByText("Added echo, 17 tools.").waitFor();
    await page.getByRole("link", { name: "echo", exact: true }).waitFor();
    // One line and Enter, without a click.
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByLabel("What to add").fill([command, ...args].join(" "));
    await page.getByRole("button", { name: "Try and add echo-2" }).waitFor();
    await page.getByLabel("What to add").press("Enter");
    await page.getByText("Added echo-2, 17 tools.").waitFor();
    const written = readFileSync(world.config, "utf8");
    assert.match(written, /"ECHO_TOKEN":\s?"\$\{ECHO_TOKEN\}"/);
    assert.doesNotMatch(written, /only for the trial/);
    assert.deepEqual(
      complaints.filter((text) => !/status of 400/.test(text)),
      [],
    );
  });

  test("a model is added by a form that takes no key, and can be talked to at once", async () => {
    await using world = await openWorld({}, {});
    const { page, complaints } = await world.visit("/chat");
    await page.getByLabel("Served by").selectOption({ label: "Another address" });
    await page.getByLabel("Address").fill("http://127.0.0.1:9/v1");
    await page.getByLabel("Model", { exact: true }).fill("small");
    await page.getByLabel("Variable with its key").fill("sk-1234-5678");
    await page.getByText("and not the key itself").waitFor();
    const add = page.getByRole("button", { name: "Add the model" });
    assert.equal(await add.isDisabled(), true);
    await page.getByLabel("Variable with its key").fill("");
    assert.deepEqual(await accessibilityProblems(page), []);
    await add.click();
    await page.getByRole("textbox", { name: "Your question" }).waitFor();
    assert.deepEqual(JSON.parse(readFileSync(world.config, "utf8")).models, {
      default: { baseURL: "http://127.0.0.1:9/v1", model: "small" },
    });
    assert.deepEqual(complaints, []);
  });
});
