import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../fixtures/until.ts";
import type { ServerEntry } from "../scenarios/support.ts";
import { noBrowser, openWorld, type World } from "../workbench/browser.ts";

const installed = fileURLToPath(new URL("node_modules/@modelcontextprotocol/", import.meta.url));
const examples = readdirSync(installed)
  .filter((name) => name.startsWith("server-") && name !== "server-sequential-thinking")
  .map((name) => name.slice("server-".length));

const server = (name: string): ServerEntry => ({
  command: process.execPath,
  args: [`${installed}server-${name}/dist/index.js`, "--stdio"],
  inheritEnv: ["HOME"],
});

/** Pages that need the network say that they have none; they are shown, and that is what counts here. */
const words: Record<string, RegExp> = {
  "budget-allocator": /Budget Allocator/,
  "cohort-heatmap": /Cohort Retention/,
  "customer-segmentation": /Customer Segmentation/,
  debug: /Event Log/,
  pdf: /Invalid tool result|Loading|PDF/,
  "scenario-modeler": /Scenario Modeler/,
  "system-monitor": /System Monitor/,
  transcript: /Your speech/,
  "video-resource": /video/i,
};

type Listed = { name: string; id: { server: string }; listed?: { _meta?: { ui?: Ui } } };
type Ui = { resourceUri?: string; visibility?: string[] };

suite("the example servers of MCP Apps in the workbench", { skip: noBrowser }, () => {
  let world: World;
  let tools: Listed[] = [];
  before(async () => {
    world = await openWorld(Object.fromEntries(examples.map((name) => [name, server(name)])));
    await until("all have listed", async () => {
      const answer = await fetch(`${world.url}/tools?group=*&limit=500`, { headers: world.proof });
      ({ tools } = (await answer.json()) as { tools: Listed[] });
      return examples.every((name) => tools.some(({ id }) => id.server === name));
    });
  });
  after(() => world[Symbol.asyncDispose]());

  test("there are all of them", () => assert.ok(examples.length >= 20, examples.join()));

  for (const name of examples)
    test(`the page of ${name} is shown`, async () => {
      const hasPage = ({ id, listed }: Listed) => {
        const { resourceUri, visibility = ["model"] } = listed?._meta?.ui ?? {};
        return id.server === name && resourceUri !== undefined && visibility.includes("model");
      };
      const tool = tools.find(hasPage);
      const { page, complaints } = await world.visit(
        `/try?tool=${encodeURIComponent(String(tool?.name))}`,
      );
      await page.getByRole("button", { name: "Run", exact: true }).click();
      // It goes away when the page has greeted its host.
      await page.locator("iframe").waitFor();
      // Before it greets, that of the map loads a library from elsewhere.
      if (name === "map") return;
      await page.getByText("Opening the page").waitFor({ state: "detached" });
      const body = page.frameLocator("iframe").locator("body");
      const wanted = name.startsWith("basic-") ? /Server Time/ : words[name];
      if (wanted) await body.filter({ hasText: wanted }).waitFor();
      const box = await page.locator("iframe").boundingBox();
      assert.ok(box && box.width > 300 && box.height >= 40, JSON.stringify(box));
      assert.deepEqual(
        complaints.filter((text) => /Content Security Policy|sandbox/i.test(text)),
        [],
      );
    });

  test("two servers with the same address of a page show each their own, beside each other", async () => {
    const { page } = await world.visit("/try");
    // Not that of Vue: it looks into the window of its host, which no host of another origin lets it.
    const names = ["basic-react", "basic-svelte"];
    const html = await Promise.all(
      names.map(async (name) => {
        const uri = encodeURIComponent("ui://get-time/mcp-app.html");
        return (
          await fetch(`${world.url}/servers/${name}/resource?uri=${uri}`, { headers: world.proof })
        ).text();
      }),
    );
    assert.notEqual(html[0], html[1]);
    for (const name of names) {
      await page.goto(`${world.url}/workbench/try?tool=${name}.get-time`);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.locator("iframe").waitFor();
      // A click on a page that has not greeted its host leads nowhere.
      await page.getByText("Opening the page").waitFor({ state: "detached" });
      await page.frameLocator("iframe").getByRole("button", { name: "Get Server Time" }).click();
      await until(`the call of the page of ${name}`, async () => {
        const answer = await fetch(`${world.url}/calls?tool=${name}.get-time`, {
          headers: world.proof,
        });
        const { calls } = (await answer.json()) as { calls: { page?: string; status: string }[] };
        return calls.some(
          ({ page: from, status }) =>
            from === "ui://get-time/mcp-app.html" && status === "succeeded",
        );
      });
    }
  });
});
