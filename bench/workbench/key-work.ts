import type { World } from "../../test/workbench/browser.ts";
import { lettersOf } from "./measures.ts";
import { openTimed } from "./world.ts";

/** Processor time in milliseconds: of the page for each key, and of the plane for the average key. */
export type KeyWork = { page: number[]; plane: number };

/** What a key costs, which other work on the machine changes less than times. */
export async function measureKeyWork(world: World, count: number): Promise<KeyWork> {
  // What is compiled once is no part of a key.
  await planeWork(world, count);
  return { plane: await planeWork(world, count), page: await pageWork(world, count) };
}

async function pageWork(world: World, count: number): Promise<number[]> {
  const page = await openTimed(world, "/tools", "[role=cell] a");
  const search = page.getByRole("searchbox", { name: "Search tools" });
  const browser = await page.context().newCDPSession(page);
  await browser.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => {
    const { metrics } = await browser.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  };
  const times: number[] = [];
  for (const letters of lettersOf(count)) {
    await search.fill("");
    for (const letter of letters) {
      await page.evaluate("void (globalThis.timed = stopwatch.nextKey())");
      const before = await worked();
      await page.keyboard.press(letter === " " ? "Space" : letter);
      await page.evaluate("globalThis.timed");
      times.push((await worked()) - before);
    }
  }
  await page.context().close();
  return times;
}

/** The same requests without a page: plane and client are this process, so that is an upper bound. */
async function planeWork({ url }: World, count: number): Promise<number> {
  const before = process.cpuUsage();
  let asked = 0;
  for (const letters of lettersOf(count))
    for (let length = 1; length <= letters.length; length += 1) {
      const q = letters.slice(0, length).trim();
      await (
        await fetch(
          `${url}/tools?${new URLSearchParams({ q, view: "row", limit: "30", best: "25" })}`,
        )
      ).text();
      asked += 1;
    }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / asked;
}
