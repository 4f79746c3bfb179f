import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Script, startScriptedModel } from "../fixtures/llm-script.ts";
import { until } from "../fixtures/until.ts";
import { type AppWorld, openAppWorld, staged } from "./app-pages.ts";
import { accessibilityProblems, noBrowser, type Page } from "./browser.ts";

const show = `document.body.append(Object.assign(document.createElement("pre"), { id: "shown", textContent: "" }));
const write = (what) => { document.getElementById("shown").textContent += JSON.stringify(what) + "\\n"; };`;

const pages = {
  /** Writes down whatever its host says. */
  listens: {
    html: staged(`${show}
      write({ theme: host.hostContext.theme, locale: host.hostContext.locale, zone: host.hostContext.timeZone, mode: host.hostContext.displayMode, tool: host.hostContext.toolInfo.tool.name, abilities: Object.keys(host.hostCapabilities).sort() });
      addEventListener("message", ({ data }) => { if (data?.method) write({ method: data.method, params: data.params }); });
      for (const one of heard) write({ method: one.method, params: one.params });
      tell("ui/notifications/size-changed", { height: 333 });`),
    ui: { prefersBorder: false },
  },
  /** Has a button for all that a page may ask. */
  asks: {
    html: staged(
      `${show}
      const on = (id, work) => document.getElementById(id).addEventListener("click", async () => write(await work()));
      on("peek", async () => (await ask("tools/call", { name: "peek", arguments: { a: 1 } })).result);
      on("change", async () => (await ask("tools/call", { name: "change", arguments: {} })).result);
      on("read", async () => (await ask("resources/read", { uri: "ui://staged/data" })).result);
      on("link", async () => (await ask("ui/open-link", { url: "https://example.com/there" })).result);
      on("message", async () => (await ask("ui/message", { role: "user", content: [{ type: "text", text: "And now?" }] })).result);
      on("file", async () => (await ask("ui/download-file", { contents: [{ type: "resource", resource: { uri: "file:///notes.txt", mimeType: "text/plain", text: "notes" } }] })).result);
      on("end", async () => tell("ui/notifications/request-teardown"));
      tell("ui/notifications/size-changed", { height: 200 });`,
      ["peek", "change", "read", "link", "message", "file", "end"]
        .map((id) => `<button id="${id}">${id}</button>`)
        .join(""),
    ),
  },
  /** Would like to use the camera. */
  films: {
    html: staged(`${show} write(document.featurePolicy?.allowsFeature("camera") ?? "unknown")`),
    ui: { permissions: { camera: {} }, csp: { connectDomains: ["https://api.example.com"] } },
  },
};

suite("pages of MCP Apps in the workbench", { skip: noBrowser }, () => {
  let apps: AppWorld;
  let model: Awaited<ReturnType<typeof startScriptedModel>>;
  before(async () => {
    const responses: Script = [
      { kind: "tools", calls: [{ name: "staged__asks", arguments: {} }] },
      { kind: "text", text: "There it is." },
      { kind: "text", text: "Now this." },
    ];
    model = await startScriptedModel({ responses });
    apps = await openAppWorld(() => pages, {
      models: { default: { baseURL: model.url, model: "scripted" } },
    });
  });
  after(async () => {
    await apps[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
  });

  const frameOf = (page: Page) => page.frameLocator("iframe");
  const press = (page: Page, id: string) => frameOf(page).locator(`#${id}`).click();
  const shown = (page: Page, text: RegExp) =>
    frameOf(page).locator("#shown").filter({ hasText: text }).waitFor();
  const toolsOf = async (id: string) =>
    (await apps.didOf(id)).map(({ tool }) => tool.replace("staged.", ""));

  test("a page gets the call's arguments and result, the theme and the place, and has the size it asks for", async () => {
    const { page, complaints } = await apps.world.visit("/try");
    await apps.run(page, "listens");
    await shown(
      page,
      /"theme":"light","locale":"[\w-]+","zone":"\w+.*"mode":"inline","tool":"listens"/,
    );
    await shown(page, /ui\/notifications\/tool-input","params":\{"arguments":\{\}\}/);
    await shown(page, /ui\/notifications\/tool-result","params":\{.*listens ran/);
    await until(
      "its height",
      async () => (await page.locator("iframe").boundingBox())?.height === 333,
    );
    await page.evaluate(`document.documentElement.dataset.theme = "dark"`);
    await shown(page, /host-context-changed","params":\{"theme":"dark"/);
    assert.deepEqual(complaints, []);
    assert.deepEqual(await accessibilityProblems(page), []);
  });

  test("calls and reads of a page take the path, one that needs a yes waits for it, and all is on the call's page", async () => {
    const { page } = await apps.world.visit("/try");
    const id = await apps.run(page, "asks");
    await press(page, "peek");
    await shown(page, /peek ran/);
    await press(page, "read");
    await shown(page, /own data/);
    await press(page, "change");
    const card = page.getByRole("article", { name: "staged.change waits for approval" });
    await card.getByRole("button", { name: "Approve" }).click();
    await shown(page, /change ran/);
    await press(page, "change");
    await card.getByRole("button", { name: "Reject" }).click();
    await shown(page, /A person did not approve this call/);
    const { page: from } = (await apps.didOf(id)).find(({ tool }) => tool === "staged.peek") ?? {};
    assert.equal(from, "ui://staged/asks");
    await page.goto(`${apps.world.url}/workbench/calls/${id}`);
    const did = page.locator("section").filter({ hasText: "What its page did" });
    await did.getByRole("link", { name: "peek" }).waitFor();
    assert.equal((await did.getByRole("link", { name: "change" }).count()) >= 2, true);
    await page.getByRole("button", { name: "Show the page" }).click();
    await frameOf(page).locator("#peek").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });

  test("a link and a file wait for a yes; a page that is left is gone", async () => {
    const { page, context } = await apps.world.visit("/try");
    const id = await apps.run(page, "asks");
    await context.route("https://example.com/**", (route) => route.fulfill({ body: "there" }));
    await press(page, "link");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("https://example.com/there").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    const opened = context.waitForEvent("page");
    await dialog.getByRole("button", { name: "Open in a new tab" }).click();
    const other = await opened;
    assert.equal(await other.evaluate("window.opener"), null);
    await other.close();
    await shown(page, /\{"isError":false\}/);
    await press(page, "file");
    const saved = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "Save" }).click();
    assert.equal((await saved).suggestedFilename(), "notes.txt");
    await press(page, "message");
    await until("the message is on record", async () =>
      (await toolsOf(id)).includes("pages/ui/message"),
    );
    assert.equal(await dialog.count(), 0, "there is no model to say it to");
    await page.getByRole("link", { name: "Tools", exact: true }).first().click();
    await until("it is gone", async () => (await page.locator("iframe").count()) === 0);
  });

  test("a page closes itself, is opened again, and uses the camera only after a yes", async () => {
    const { page } = await apps.world.visit("/try");
    await apps.run(page, "asks");
    await press(page, "end");
    await page.getByText("The page closed itself.").waitFor();
    await page.getByRole("button", { name: "Open it again" }).click();
    await frameOf(page).locator("#peek").waitFor();
    await apps.run(page, "films");
    await shown(page, /false/);
    await page.getByText("It may reach api.example.com.").waitFor();
    await page.getByRole("button", { name: "Let it use the camera" }).click();
    await until(
      "the camera",
      async () => (await page.locator("iframe").getAttribute("allow")) === "camera *",
    );
  });

  test("in a chat the page of a call is shown, and what it says is asked after a yes", async () => {
    const { page } = await apps.world.visit("/chat");
    await page.getByLabel("Your question").fill("Show it.");
    await page.getByLabel("Your question").press("Enter");
    await page.getByText("There it is.").waitFor();
    await press(page, "message");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("And now?").waitFor();
    await dialog.getByRole("button", { name: "Say it" }).click();
    await page.getByRole("log").getByText("And now?").waitFor();
    await page.getByText("Now this.").waitFor();
    assert.match(JSON.stringify(model.requests.at(-1)?.body.messages), /And now\?/);
  });
});
