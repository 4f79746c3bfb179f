import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { delimiter, join } from "node:path";

const root = join(import.meta.dirname, "..");
const sources = join(root, "workbench");
const target = join(root, "dist", "workbench");
const page = join(target, "index.html");
const lock = `${target}.lock`;
const pollMs = 200;
const longestBuildMs = 120_000;

/** Builds the browser's app beside the old one and puts it in its place, so that whoever serves it never lacks it. */
export function buildWorkbench(): void {
  const begun = new Date();
  const fresh = `${target}-${process.pid}`;
  mkdirSync(join(root, "dist"), { recursive: true });
  try {
    execFileSync("vite", ["build", "--logLevel", "warn", "--outDir", fresh, "--emptyOutDir"], {
      cwd: sources,
      env: {
        ...process.env,
        PATH: [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    // What is changed while it is being built is newer than it.
    utimesSync(join(fresh, "index.html"), begun, begun);
    putInPlace(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Somebody else may do the same at this moment; whoever comes last stays. */
function putInPlace(fresh: string): void {
  const old = `${fresh}-old`;
  for (let tries = 1; ; tries += 1) {
    try {
      if (existsSync(target)) renameSync(target, old);
      renameSync(fresh, target);
      break;
    } catch (thrown) {
      if (tries === 5) throw thrown;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/** The same, unless what is there is newer than everything it is made of. Of several who ask at once, one builds. */
export function buildWorkbenchIfStale(): void {
  while (isStale()) {
    if (!takeLock()) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
      continue;
    }
    try {
      if (isStale()) buildWorkbench();
      return;
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

function takeLock(): boolean {
  mkdirSync(join(root, "dist"), { recursive: true });
  // Whoever was killed in the middle leaves it behind.
  if ((statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) < Date.now() - longestBuildMs)
    rmSync(lock, { recursive: true, force: true });
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

function isStale(): boolean {
  if (!existsSync(page)) return true;
  const builtAt = statSync(page).mtimeMs;
  const files = globSync(["src/**/*", "public/*", "index.html", "vite.config.ts", "package.json"], {
    cwd: sources,
  });
  return files.some((file) => statSync(join(sources, file)).mtimeMs > builtAt);
}

if (import.meta.main) {
  if (!process.argv.includes("--if-stale")) buildWorkbench();
  else if (isStale()) {
    process.stderr.write("Building the workbench …\n");
    try {
      buildWorkbenchIfStale();
    } catch {
      // A plane without its page is better than none.
      process.stderr.write(
        "The workbench could not be built, so the plane serves without it or with an older one.\n",
      );
    }
  }
}
