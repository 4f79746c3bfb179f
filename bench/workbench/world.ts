import { fileURLToPath } from "node:url";
import { openWorld, type Page, type World } from "../../test/workbench/browser.ts";

const program = fileURLToPath(new URL("many-tools-server.ts", import.meta.url));
const servers = 10;

/** What measures in the page itself. */
export const stopwatch = { path: fileURLToPath(new URL("stopwatch.mjs", import.meta.url)) };

/** Calls of it wait for a person. */
export const askedAbout = "team-0.get_invoice_1";

/** `toolplane serve` in front of ten servers that list so many tools together, and a browser. */
export async function openLargeWorld(tools: number): Promise<World> {
  const entries = Array.from({ length: servers }, (_, at) => [
    `team-${at}`,
    { command: process.execPath, args: [program, `${at}`, `${Math.ceil(tools / servers)}`] },
  ]);
  const rules = [{ tool: askedAbout, verdict: "ask", reason: "the benchmark wants to be asked" }];
  const world = await openWorld(Object.fromEntries(entries), { policy: { rules } });
  await untilListed(world.url, tools);
  // It has been up for a while: what is done once after a listing, pinning and counting, is done.
  for (const path of ["/pins?held=true", "/stats"]) await (await fetch(world.url + path)).text();
  return world;
}

async function untilListed(url: string, tools: number): Promise<void> {
  for (;;) {
    const { total } = (await (await fetch(`${url}/tools?limit=1`)).json()) as { total: number };
    if (total >= tools) return;
  }
}

/** A page of a browser profile that has never been here, opened by the person who started the plane. */
export async function openTimed(world: World, path: string, ready: string): Promise<Page> {
  const context = await world.browser.newContext({ viewport: { width: 1300, height: 900 } });
  await context.addInitScript(stopwatch);
  const page = await context.newPage();
  await page.goto(`${world.url}/workbench${path}${world.pass}`);
  await page.waitForSelector(ready);
  return page;
}
