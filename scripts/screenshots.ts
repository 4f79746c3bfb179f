import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { firstIdOf } from "../src/lib/ids-and-time.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { callEntry } from "../test/contracts/records.ts";
import type { World } from "../test/workbench/browser.ts";
import { openShowcase, showcasePages } from "../test/workbench/showcase.ts";

/**
 * Pictures of every page of the workbench in both themes, on a desk and on a phone:
 * `node scripts/screenshots.ts DIRECTORY [--small] [PAGE…]`. `--small` makes those of docs/images/pages, as WebP.
 */
const isSmall = process.argv.includes("--small");
const [directory, ...wanted] = process.argv.slice(2).filter((word) => word !== "--small");
if (directory === undefined) {
  process.stderr.write("Say where to: node scripts/screenshots.ts DIRECTORY [--small] [PAGE…]\n");
  process.exit(2);
}

const root = resolve(import.meta.dirname, "..");
const target = resolve(directory);
const phone = { width: 390, height: 800 };
const onPhones = showcasePages({ call: "", run: "", plan: "" }).map(([name]) => name);
mkdirSync(target, { recursive: true });

await using showcase = await openShowcase();
const { world } = showcase;
await fillHour(world);
for (const colorScheme of ["light", "dark"] as const) {
  for (const [name, path] of showcasePages(showcase)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    await picture(name, path, colorScheme);
    if (onPhones.includes(name)) await picture(`${name}-phone`, path, colorScheme, phone);
  }
}

async function picture(
  name: string,
  path: string,
  colorScheme: "light" | "dark",
  viewport = { width: 1440, height: 900 },
): Promise<void> {
  const { page, complaints, context } = await world.open(path, { colorScheme, viewport });
  await page.waitForSelector("main h1");
  await page.locator("main [role=status][aria-busy=true]").first().waitFor({ state: "detached" });
  // Whatever comes in pieces is there by then; a picture that is a little early does no harm.
  await setTimeout(500);
  await page.evaluate(withoutPlaces, [root, tmpdir()]);
  const file = join(target, `${name}-${colorScheme}.${isSmall ? "webp" : "png"}`);
  if (isSmall) {
    const browser = await context.newCDPSession(page);
    const clip = { x: 0, y: 0, ...viewport, scale: viewport === phone ? 1 : 0.8 };
    const { data } = await browser.send("Page.captureScreenshot", {
      format: "webp",
      quality: 80,
      clip,
    });
    writeFileSync(file, Buffer.from(data, "base64"));
  } else await page.screenshot({ path: file });
  process.stdout.write(`${file}\n${complaints.map((complaint) => `  ${complaint}\n`).join("")}`);
  await context.close();
}

/** Where this machine has its files is of no interest to anybody. Runs in the page. */
function withoutPlaces([repository, temporary]: string[]): void {
  const { document, NodeFilter } = globalThis as unknown as PageGlobals;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    node.textContent = (node.textContent ?? "")
      .replaceAll(/"?[^"\s]*\/node_modules\/node-[^/]+\/bin\/node\b/g, (path) =>
        path.startsWith('"') ? '"node' : "node",
      )
      .replaceAll(`${repository}/`, "/srv/toolplane/")
      .replaceAll(new RegExp(`${temporary}/toolplane-test-\\w+`, "g"), "/home/ann/work");
}

type TextNode = { textContent: string | null };
type PageGlobals = {
  document: {
    body: unknown;
    createTreeWalker(root: unknown, what: number): { nextNode(): TextNode | null };
  };
  NodeFilter: { SHOW_TEXT: number };
};

/** A plane has usually been there for longer than it takes to make a picture: an hour of calls, with a bad moment. */
async function fillHour(world: World): Promise<void> {
  const begin = await world.stopPlane();
  const store = await openSqliteStore(join(world.dataDirectory, "toolplane.db"));
  const now = Date.now();
  const tools = ["files.read_text_file", "echo.add", "everything.get-sum", "memory.search_nodes"];
  for (let minute = 59; minute > 0; minute -= 1) {
    const isBad = minute > 20 && minute < 26;
    const calls = Math.round(60 + 40 * Math.sin(minute / 7) + ((minute * 37) % 17));
    const entries = Array.from({ length: calls }, (_, index) => {
      const at = now - minute * 60_000 + index;
      const tool = tools[index % tools.length] ?? "";
      return callEntry(`${firstIdOf(at)}-past${index}`, {
        at: new Date(at).toISOString(),
        tool,
        server: tool.split(".")[0] ?? null,
        status: index % (isBad ? 5 : 60) === 0 ? "failed" : "succeeded",
        durationMs: (isBad ? 90 : 20) + ((index * 7919) % 61) * (index % 20 === 0 ? 9 : 1),
      });
    });
    await store.append(entries);
  }
  await store.close();
  await begin();
  const post = (path: string, body: object) =>
    fetch(world.url + path, { method: "POST", body: JSON.stringify(body) });
  for (const server of ["files", "memory", "everything", "echo", "fault"])
    await post(`/servers/${server}/connect`, {});
  for (const path of ["notes/release.md", "notes/missing.md", "notes/release.md"])
    await post("/tools/files.read_text_file/call", { arguments: { path } });
  for (const a of [1, "x", 3, 4]) await post("/tools/echo.add/call", { arguments: { a, b: 2 } });
  await post("/tools/files.list_directory/call", { arguments: { path: "notes" } });
}
