import { fileURLToPath } from "node:url";
import { openWorld } from "../../test/workbench/browser.ts";

const program = fileURLToPath(new URL("large-results-server.ts", import.meta.url));
const forms = ["lines", "one_line", "json", "structured", "tree"] as const;

export type Pauses = { form: string; longestMs: number; shownMs: number };

/** The longest task of the page between the click on Run and the result of ten megabytes on the screen. */
export async function measureLargeResults(rounds = 3): Promise<Pauses[]> {
  await using world = await openWorld(
    { large: { command: process.execPath, args: [program] } },
    { results: { maxInlineBytes: 0 } },
  );
  const found: Pauses[] = [];
  for (const form of forms)
    for (let round = 0; round < rounds; round += 1) {
      const { page, context } = await world.open(`/try?tool=large.${form}`);
      await page.getByRole("button", { name: "Run", exact: true }).waitFor();
      await page.evaluate(observe);
      const begunAt = Date.now();
      await page.getByRole("button", { name: "Run", exact: true }).click();
      const isRows = form === "json" || form === "structured";
      await page.waitForSelector(
        isRows ? "[role=table][aria-label=Rows]" : "[aria-label='Find in text']",
      );
      // The same as a tree.
      if (isRows) await page.getByRole("button", { name: "Tree", exact: true }).click();
      if (isRows) await page.waitForSelector("input[aria-label^='Find in']");
      const shownMs = Date.now() - begunAt;
      const longestMs = await page.evaluate<number>("longTasks.longest()");
      found.push({ form, longestMs, shownMs });
      await context.close();
    }
  return found;
}

/** Chromium tells of tasks from 50 ms on; what is laid out after the result is shown counts, too. */
const observe = `globalThis.longTasks = (() => {
  const tasks = [];
  const take = (list) => tasks.push(...list.map(({ duration }) => duration));
  const observer = new PerformanceObserver((list) => take(list.getEntries()));
  observer.observe({ type: "longtask" });
  return {
    async longest() {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 300))));
      take(observer.takeRecords());
      return Math.max(0, ...tasks);
    },
  };
})()`;

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await measureLargeResults());
