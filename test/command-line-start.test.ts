import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { workedOut } from "../scripts/built-tables.ts";

const root = join(import.meta.dirname, "..");
const imports = /^(?:import|export)\b(?!\s+type\b)[^"';]*?\bfrom\s*"([^"]+)"/gm;

/** The way from a file to the first that imports this library at once, and not only when it is needed. */
function wayTo(library: string, from: string): string[] {
  const ways: string[][] = [[from]];
  const seen = new Set([from]);
  for (const way of ways) {
    const file = way.at(-1) ?? "";
    if (workedOut.includes(file)) continue;
    for (const [, target = ""] of readFileSync(file, "utf8").matchAll(imports)) {
      if (target === library || target.startsWith(`${library}/`)) return [...way, target];
      const next = join(dirname(file), target);
      if (!target.startsWith(".") || seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return [];
}

const shown = (way: readonly string[]) =>
  way.map((file) => (file.startsWith("/") ? relative(root, file) : file));

test("a search for ways finds one", () => {
  assert.ok(wayTo("zod", join(root, "src/model/config/config.ts")).length >= 2);
});

test("no command loads schemas before it runs", () => {
  // The bundle keeps them in another piece, which needs this one: what is used at once would not be there yet.
  assert.deepEqual(shown(wayTo("zod", join(root, "src/faces/cli/program.ts"))), []);
});
