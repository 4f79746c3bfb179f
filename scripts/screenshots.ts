import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openShowcase, showcasePages } from "../test/workbench/showcase.ts";

/** Pictures of every page of the workbench in both themes: node scripts/screenshots.ts DIRECTORY [PAGE…] */
const [directory, ...wanted] = process.argv.slice(2);
if (directory === undefined) {
  process.stderr.write("Say where to: node scripts/screenshots.ts DIRECTORY [PAGE…]\n");
  process.exit(2);
}

const target = resolve(directory);
const phone = { width: 390, height: 800 };
const onPhones = [
  "approvals",
  "plan",
  "overview",
  "calls",
  "call",
  "run",
  "chat",
  "job",
  "policy",
  "settings",
];
mkdirSync(target, { recursive: true });

await using showcase = await openShowcase();
const { world } = showcase;
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
  viewport = { width: 1300, height: 900 },
): Promise<void> {
  const { page, complaints, context } = await world.open(path, { colorScheme, viewport });
  await page.waitForSelector("main h1");
  await page.locator("main [role=status] .animate-spin").first().waitFor({ state: "detached" });
  // Whatever comes in pieces is there by then; a picture that is a little early does no harm.
  await setTimeout(500);
  const file = join(target, `${name}-${colorScheme}.png`);
  await page.screenshot({ path: file });
  process.stdout.write(`${file}\n${complaints.map((complaint) => `  ${complaint}\n`).join("")}`);
  await context.close();
}
