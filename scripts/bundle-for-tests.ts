import { createHash } from "node:crypto";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { bundle, workers } from "./bundle.ts";

const root = join(import.meta.dirname, "..");
const cache = join(root, "node_modules", ".cache");
const keptMs = 24 * 60 * 60 * 1000;

/** What the tests start by the hundred, each with its whole library: from a bundle it starts in a third of the time. */
const entries = { bin: "src/bin.ts", ...workers };

/**
 * Bundles what tests start and returns the directory. It is named after its content, so that runs side by side, of
 * sources that change meanwhile, do not take each other's files away.
 */
export async function bundleForTests(): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "bundling-"));
  try {
    await bundle(entries, join(fresh, "dist"));
    // The command line looks for the workbench where the package has it.
    symlinkSync(join(root, "dist", "workbench"), join(fresh, "dist", "workbench"));
    const directory = join(cache, `bundled-${contentHash(join(fresh, "dist"))}`);
    try {
      renameSync(fresh, directory);
    } catch {
      // It is there already, from an earlier run of the same sources.
      utimesSync(directory, new Date(), new Date());
    }
    forgetOld();
    return join(directory, "dist");
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function contentHash(directory: string): string {
  const hash = createHash("sha256");
  for (const file of globSync("{*,chunks/*}.js", { cwd: directory }).sort())
    hash.update(file).update(readFileSync(join(directory, file)));
  return hash.digest("hex").slice(0, 16);
}

function forgetOld(): void {
  for (const entry of globSync("bundled-*", { cwd: cache })) {
    const directory = join(cache, entry);
    if (Date.now() - statSync(directory).mtimeMs > keptMs) rmSync(directory, { recursive: true, force: true });
  }
}
