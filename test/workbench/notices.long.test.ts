import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../fixtures/until.ts";
import { fixture } from "../scenarios/support.ts";
import { noBrowser, type OpenPage, openWorld, type World } from "./browser.ts";

/** What a notification holds, as far as we look at it. */
type Shown = { title: string; body: string; actions: { action: string }[]; data: { id: string } };

/** The shell of Chromium has no place for notifications and refuses them all: the place is noted here, the rest is real. */
const place = `
  document.hasFocus = () => false;
  Object.defineProperty(Notification, "permission", { get: () => "granted" });
  globalThis.shown = [];
  ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
    shown.push({ title, ...options });
  };
`;

suite("notifications of approvals", { skip: noBrowser }, () => {
  let world: World;
  before(async () => {
    world = await openWorld(
      { echo: fixture("echo") },
      { policy: { rules: [{ tool: "echo.echo", verdict: "ask", reason: "people look at it" }] } },
    );
  });
  after(() => world[Symbol.asyncDispose]());

  const call = async (message: string) => {
    const response = await fetch(`${world.url}/tools/echo.echo/call`, {
      method: "POST",
      headers: world.proof,
      body: JSON.stringify({ arguments: { message } }),
    });
    const { approval } = (await response.json()) as { approval: { id: string } };
    return approval.id;
  };
  const statusOf = async (id: string) =>
    ((await (await fetch(`${world.url}/approvals/${id}`)).json()) as { status: string }).status;

  /** A person who looks at another window. */
  async function openAway(path: string): Promise<OpenPage> {
    const opened = await world.open("/icon.svg#");
    await opened.context.grantPermissions(["notifications"], { origin: world.url });
    await opened.page.addInitScript(place);
    await opened.page.goto(`${world.url}/workbench${path}`);
    return opened;
  }

  const turnOn = async ({ page, context }: OpenPage) => {
    await page.getByRole("button", { name: "Notifications off" }).click();
    await page.getByRole("button", { name: "Notifications on" }).waitFor();
    await until("the worker", () => context.serviceWorkers().length > 0);
    const shown = (): Promise<Shown[]> => page.evaluate("shown");
    return {
      shown,
      async shownOf(id: string) {
        await until("the notification", async () =>
          (await shown()).some(({ data }) => data.id === id),
        );
        return (await shown()).find(({ data }) => data.id === id) as Shown;
      },
      click: async (id: string, action: string) => {
        const [worker] = context.serviceWorkers();
        await worker?.evaluate(
          ([data, chosen]) => {
            const notification = { data: { id: data }, close: () => undefined };
            const said = { notification, action: chosen, waitUntil: () => undefined };
            (globalThis as unknown as EventTarget).dispatchEvent(
              Object.assign(new Event("notificationclick"), said),
            );
          },
          [id, action],
        );
      },
    };
  };

  test("are asked for with a click, name the tool and its caller only, and answer", async () => {
    const opened = await openAway(`/approvals${world.pass}`);
    assert.equal(opened.context.serviceWorkers().length, 0, "nothing before the click");
    const { shownOf, click } = await turnOn(opened);
    const approved = await call("hunter2-secret");
    const { title, body, actions } = await shownOf(approved);
    assert.deepEqual(
      [title, actions.map(({ action }) => action)],
      ["Approval needed", ["approve", "reject"]],
    );
    assert.match(body, /^echo\.echo\necho, /);
    assert.doesNotMatch(body, /hunter2/);
    await click(approved, "approve");
    await until("the yes", async () => (await statusOf(approved)) === "done");
    const rejected = await call("no");
    await shownOf(rejected);
    await click(rejected, "reject");
    await until("the no", async () => (await statusOf(rejected)) === "rejected");
    assert.equal(
      await opened.page.evaluate("caches.keys().then((keys) => keys.length)"),
      0,
      "nothing is kept",
    );
    await opened.page.getByRole("button", { name: "Notifications on" }).click();
    await until("no worker", () =>
      opened.page.evaluate(
        "navigator.serviceWorker.getRegistrations().then((all) => all.length === 0)",
      ),
    );
    await opened.context.close();
  });

  test("a page that is not unlocked opens the approval instead of answering it", async () => {
    const opened = await openAway("/approvals#");
    const { shownOf, click } = await turnOn(opened);
    await opened.page.getByRole("link", { name: "Tools", exact: true }).click();
    await opened.page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
    const id = await call("later");
    await shownOf(id);
    await click(id, "approve");
    await opened.page.waitForURL((url) => url.search.includes(id));
    assert.equal(await statusOf(id), "pending");
    await opened.context.close();
  });

  test("where the browser refuses, that is said", async () => {
    const opened = await world.open("/approvals");
    await opened.page.getByRole("button", { name: "Notifications off" }).click();
    await opened.page
      .getByText("The browser does not allow notifications of this page.")
      .first()
      .waitFor();
    await opened.page.getByRole("button", { name: "Notifications off" }).waitFor();
    await opened.context.close();
  });
});
