import type { World } from "../../test/workbench/browser.ts";
import { askedAbout, openTimed, stopwatch } from "./world.ts";

/** Typed letter by letter: what people want, half a word, a name, something that is nowhere. */
const queries = [
  "create an invoice",
  "calendar of team 3",
  "delete_branch_2",
  "search contacts by nu",
  "deployment report",
  "team-7.export_pa",
  "unicorn",
];

const serverLink = "main a[href*='/servers/team-']";

export type Paint = { contentful: number; titled: number; filled: number };

/** A first visit with an empty profile: when there is anything, the page, and what is on it. */
export async function measurePaint({ browser, url }: World): Promise<Paint> {
  const context = await browser.newContext();
  await context.addInitScript(stopwatch);
  const page = await context.newPage();
  await page.goto(`${url}/workbench/`, { waitUntil: "commit" });
  const titled = await page.evaluate<number>("stopwatch.shown('main h1')");
  const filled = await page.evaluate<number>(`stopwatch.shown(${JSON.stringify(serverLink)})`);
  const contentful = await page.evaluate<number>("stopwatch.contentfulAt()");
  await context.close();
  return { contentful, titled, filled };
}

export type Scripts = { untilTitled: number; untilFilled: number };

/** The JavaScript that the first page has loaded when its title is shown, and when its servers are; in bytes as gzip makes them. */
export async function measureScripts({ browser, url }: World): Promise<Scripts> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(noteScripts);
  await page.goto(`${url}/workbench/`);
  await page.waitForSelector(serverLink);
  const [titled, filled] = await page.evaluate<[string[], string[]]>(
    "[scriptsUntilTitled, loadedScripts()]",
  );
  await context.close();
  return { untilTitled: await gzipSizeOf(titled), untilFilled: await gzipSizeOf(filled) };
}

const noteScripts = `
  globalThis.loadedScripts = () =>
    performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith(".js"));
  new MutationObserver((_, observer) => {
    if (!document.querySelector("main h1")) return;
    observer.disconnect();
    globalThis.scriptsUntilTitled = loadedScripts();
  }).observe(document, { subtree: true, childList: true });`;

async function gzipSizeOf(scripts: readonly string[]): Promise<number> {
  const headers = { "accept-encoding": "gzip" };
  const answers = await Promise.all(
    scripts.map((script) => fetch(script, { headers, method: "HEAD" })),
  );
  return answers.reduce((sum, { headers: said }) => sum + Number(said.get("content-length")), 0);
}

/** Words with at least so many letters together. Nothing is remembered from the round before. */
export function lettersOf(count: number): string[] {
  const all: string[] = [];
  for (let at = 0, letters = 0; letters < count; at += 1) {
    const round = Math.floor(at / queries.length);
    const words = `${queries[at % queries.length]}${round === 0 ? "" : ` ${round}`}`;
    all.push(words);
    letters += words.length;
  }
  return all;
}

export type Keys = { times: number[]; floor: number[] };

/** From each key to its results on the screen; the next one follows when they are there. */
export async function measureKeys(world: World, count: number): Promise<Keys> {
  const page = await openTimed(world, "/tools", "[role=cell] a");
  const search = page.getByRole("searchbox", { name: "Search tools" });
  const [times, floor]: [number[], number[]] = [[], []];
  for (const letters of lettersOf(count)) {
    await search.fill("");
    for (const letter of letters) {
      // Wait for the page's answer before the key, not in parallel.
      await page.evaluate("void (globalThis.timed = stopwatch.nextKey())");
      await page.keyboard.press(letter === " " ? "Space" : letter);
      times.push(await page.evaluate<number>("globalThis.timed"));
      floor.push(await page.evaluate<number>("stopwatch.floor()"));
    }
  }
  await page.context().close();
  return { times: times.slice(0, count), floor: floor.slice(0, count) };
}

export async function measureScrolling(world: World, forMs: number): Promise<number[]> {
  const page = await openTimed(world, "/tools", "[role=cell] a");
  const frames = await page.evaluate<number[]>(`stopwatch.scroll(400, ${forMs})`);
  await page.context().close();
  return frames;
}

export type Approval = { visible: number; continues: number };

const waiting = "article[aria-label$='waits for approval']";

/** Another client calls; the open page shows the approval, approves it, and the client gets its answer. */
export async function measureApprovals(world: World, count: number): Promise<Approval[]> {
  const page = await openTimed(world, "/approvals", "main h1");
  const found: Approval[] = [];
  while (found.length < count) {
    const shown = page.evaluate<number>(`stopwatch.shown("${waiting}").then(() => Date.now())`);
    await page.evaluate("void (globalThis.clicked = stopwatch.clickedAt())");
    const calledAt = Date.now();
    const call = fetch(`${world.url}/tools/${askedAbout}/call`, {
      method: "POST",
      headers: { prefer: "wait=30" },
      body: JSON.stringify({ arguments: { id: "1", team: "north" } }),
    });
    const visible = (await shown) - calledAt;
    await page.locator(waiting).getByRole("button", { name: "Approve" }).click();
    const answer = await call;
    const answeredAt = Date.now();
    if (answer.status !== 200) throw new Error(`The call was answered with ${answer.status}.`);
    found.push({
      visible,
      continues: answeredAt - (await page.evaluate<number>("globalThis.clicked")),
    });
    await page.locator(waiting).waitFor({ state: "detached" });
  }
  await page.context().close();
  return found;
}
