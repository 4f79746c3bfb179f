import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

type FileLocations = { source: string; built: string };

/** Every file of the package that the program finds by its place: in a checkout, and in what is published. The build reads it too. */
export const ownFiles = {
  program: { source: "src/bin.ts", built: "dist/bin.js" },
  appendWorker: { source: "src/store/sqlite/append-worker.ts", built: "dist/append-worker.js" },
  sandboxWorker: { source: "packages/code/src/sandbox-worker.ts", built: "dist/sandbox-worker.js" },
  toolVectors: { source: "packages/search/src/tool-vectors.bin", built: "dist/tool-vectors.bin" },
  // Without a build there is none to serve.
  workbench: { source: "dist/workbench", built: "dist/workbench" },
} as const satisfies Record<string, FileLocations>;

export type OwnFile = keyof typeof ownFiles;

let root: string | null | undefined;

/** Null where the package was bundled into another program, which has none of its files. */
export function findOwnFile(name: OwnFile): string | null {
  // A bundler that writes CommonJS leaves nothing of `import.meta`.
  if (root === undefined)
    root = import.meta.dirname === undefined ? null : findRoot(import.meta.dirname);
  if (root === null) return null;
  const { source, built } = ownFiles[name];
  return join(root, import.meta.filename.endsWith(".ts") ? source : built);
}

export function ownFile(name: OwnFile): string {
  const file = findOwnFile(name);
  if (file === null)
    throw new Error(
      `Toolplane's file '${ownFiles[name].built}' is missing: install the package instead of bundling it.`,
    );
  return file;
}

/** Pieces of the bundle move between folders, and the package stays around them. */
function findRoot(directory: string): string | null {
  const manifest = join(directory, "package.json");
  if (existsSync(manifest) && nameIn(readFileSync(manifest, "utf8")) === "toolplane")
    return directory;
  const above = dirname(directory);
  return above === directory ? null : findRoot(above);
}

function nameIn(manifest: string): unknown {
  try {
    return JSON.parse(manifest).name;
  } catch {
    // Another program's, which is none of our business.
    return undefined;
  }
}
