import { join } from "node:path";
import type { Plugin } from "rolldown";

const root = join(import.meta.dirname, "..");

/**
 * Modules whose exports are plain data. The build works them out, so that neither a start nor the browser loads what they
 * are made from.
 */
export const workedOut = [
  "src/operations/verb-table.ts",
  "src/operations/route-table.ts",
  "src/faces/cli/command-table.ts",
].map((file) => join(root, file));

export function workedOutAtBuild(): Plugin {
  return {
    name: "worked-out-at-build",
    async load(id) {
      if (!workedOut.includes(id)) return null;
      const values = Object.entries((await import(id)) as object);
      return values
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join("\n");
    },
  };
}
