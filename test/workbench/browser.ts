import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Playwright from "playwright-core";
import { buildWorkbenchIfStale } from "../../scripts/build-workbench.ts";
import { freePort } from "../fixtures/free-port.ts";
import { scaledMs } from "../fixtures/patience.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli, type ServerEntry, startServe, writeConfig } from "../scenarios/support.ts";
import { openBrowser } from "./chromium.ts";

export { noBrowser } from "./chromium.ts";

export type Page = Playwright.Page;

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Far above what anything here takes; whatever reaches it hangs. */
const hangMs = 30_000;

const desktop = { width: 1300, height: 900 };

export type World = AsyncDisposable & {
  url: string;
  /** What is behind the # of the link for the person who started it. */
  pass: string;
  config: string;
  dataDirectory: string;
  browser: Playwright.Browser;
  /** The same as a header. */
  proof: Record<string, string>;
  /**
   * The one tab of this world goes there as if it were new: nothing is stored and no request is routed any more. What it
   * has compiled stays, so it costs a third of a new page. The person who started the plane does it, unless the path ends
   * in #.
   */
  visit(path?: string, options?: { viewport?: Playwright.ViewportSize }): Promise<OpenPage>;
  /** The same in a browser context of its own, which has to be closed: for several pages at once, phones and cookies. */
  open(path?: string, options?: Playwright.BrowserContextOptions): Promise<OpenPage>;
  /** Makes a key and returns its secret. */
  createKey(name: string, ...scopes: string[]): Promise<string>;
  /** Ends the plane; the returned function starts it again at the same address. */
  stopPlane(): Promise<() => Promise<void>>;
};

/** A page with all that goes wrong in it. */
export type OpenPage = { page: Page; complaints: string[]; context: Playwright.BrowserContext };

/** The real server with real MCP servers, and a real browser. */
export async function openWorld(
  servers: Record<string, ServerEntry>,
  more: object = {},
): Promise<World> {
  await buildWorkbenchIfStale();
  const directory = await temporaryDirectory();
  const config = await writeConfig(directory, servers, more);
  const dataDirectory = join(directory.file("data"));
  const port = await freePort();
  let serving = await startServe(config, dataDirectory, port);
  const browser = await openBrowser();
  const address = (path: string) =>
    `${serving.url}/workbench${path}${path.endsWith("#") ? "" : new URL(serving.workbench).hash}`;
  /** Until the pass of the address is exchanged: what goes elsewhere before that has none. */
  const goTo = async (page: Page, path: string) => {
    await page.goto(address(path));
    if (!path.endsWith("#")) await page.locator("#did-not-start").waitFor({ state: "detached" });
  };
  let tab: OpenPage | undefined;
  return {
    url: serving.url,
    pass: new URL(serving.workbench).hash,
    config,
    dataDirectory,
    browser,
    // Every plane has a pass of its own, also one that is started again.
    get proof() {
      return serving.proof;
    },
    async visit(path = "/", { viewport = desktop } = {}) {
      if (tab === undefined) tab = await openPage(browser, { viewport });
      else await forgetAll(tab, serving.url, viewport);
      await goTo(tab.page, path);
      return tab;
    },
    async open(path = "/", options = {}) {
      const opened = await openPage(browser, options);
      await goTo(opened.page, path);
      return opened;
    },
    async createKey(name, ...scopes) {
      const flags = scopes.flatMap((scope) => ["--scope", scope]);
      const words = [
        "keys",
        "create",
        name,
        ...flags,
        "--config",
        config,
        "--data-dir",
        dataDirectory,
        "--json",
      ];
      const made = (await runCli(words)).json() as { secret?: string };
      if (made.secret === undefined) throw new Error(`No key was made: ${JSON.stringify(made)}`);
      return made.secret;
    },
    async stopPlane() {
      await serving.stop();
      return async () => {
        serving = await startServe(config, dataDirectory, port);
      };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await serving.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function openPage(
  browser: Playwright.Browser,
  options: Playwright.BrowserContextOptions,
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: desktop, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(scaledMs(hangMs));
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { page, complaints, context };
}

/** As for a new page. The app has to be gone before its storage is emptied. */
async function forgetAll(
  { page, complaints, context }: OpenPage,
  url: string,
  viewport: Playwright.ViewportSize,
) {
  await page.unrouteAll();
  await page.goto(`${url}/workbench/icon.svg`);
  await page.evaluate("localStorage.clear(); sessionStorage.clear()");
  await context.clearCookies();
  await page.setViewportSize(viewport);
  complaints.length = 0;
}

/** What axe finds wrong with the page as it is now: which rule, and where. `rules` narrows the search. */
export async function accessibilityProblems(page: Page, ...rules: string[]): Promise<string[]> {
  // Through the debugger's own world: the page itself takes no script from anybody.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  const found = await page.evaluate(async (runOnly) => {
    const { axe: looking } = globalThis as unknown as { axe: Axe };
    // Only what is reported here is worked out.
    const cheap = { resultTypes: ["violations"], selectors: false };
    const { violations } = await looking.run(runOnly.length === 0 ? cheap : { ...cheap, runOnly });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
    );
  }, rules);
  return found;
}

type Axe = {
  run(options: {
    runOnly?: string[];
    resultTypes: string[];
    selectors: boolean;
  }): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};
