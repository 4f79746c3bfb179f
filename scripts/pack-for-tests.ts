import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundle } from "./bundle.ts";
import { oneAtATime } from "./one-at-a-time.ts";

const root = join(import.meta.dirname, "..");
const cache = join(root, "node_modules", ".cache");
const keptMs = 24 * 60 * 60 * 1000;
const run = promisify(execFile);

/**
 * Packs the product as it is published and returns a directory with the archive (`toolplane.tgz`), what is in it (`package/`) and, in one
 * piece, the server that loads the most (`fixtures/`). It is named after its content, so that runs side by side, of sources that change meanwhile, do not take each other's files away.
 */
export async function packForTests(): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "packing-"));
  try {
    const archive = join(fresh, "toolplane.tgz");
    // npm reads what the build before it has written.
    await oneAtATime(join(cache, "pack.lock"), () =>
      run("npm", ["pack", "--silent", "--pack-destination", fresh], { cwd: root }),
    );
    for (const file of globSync("*.tgz", { cwd: fresh })) renameSync(join(fresh, file), archive);
    await run("tar", ["-xzf", "toolplane.tgz"], { cwd: fresh });
    await bundle({ modern: "test/fixtures/servers/modern.ts" }, join(fresh, "fixtures"), []);
    const directory = join(cache, `packed-${contentHash(fresh)}`);
    try {
      renameSync(fresh, directory);
    } catch {
      // It is there already, from an earlier run of the same sources.
      utimesSync(directory, new Date(), new Date());
    }
    forgetOld();
    return directory;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function contentHash(directory: string): string {
  const hash = createHash("sha256");
  for (const file of ["toolplane.tgz", "fixtures/modern.js"])
    hash.update(readFileSync(join(directory, file)));
  return hash.digest("hex").slice(0, 16);
}

function forgetOld(): void {
  for (const entry of globSync("pack{ed,ing}-*", { cwd: cache })) {
    const directory = join(cache, entry);
    if (Date.now() - statSync(directory).mtimeMs > keptMs)
      rmSync(directory, { recursive: true, force: true });
  }
}
