import { join } from "node:path";
import type { Plugin } from "rolldown";

const root = join(import.meta.dirname, "..");

/** The engine of code mode reads it before every program. */
const guestProgram = join(root, "packages/code/src/prelude.ts");

/**
 * Modules whose exports are plain data. The build works them out, so that neither a start nor the browser loads what they
 * are made from.
 */
export const workedOut = [
  ...[
    "src/operations/verb-table.ts",
    "src/operations/route-table.ts",
    "src/faces/cli/command-table.ts",
  ].map((file) => join(root, file)),
  guestProgram,
];

export function workedOutAtBuild(): Plugin {
  return {
    name: "worked-out-at-build",
    async load(id) {
      if (!workedOut.includes(id)) return null;
      const values = Object.entries((await import(id)) as object);
      const shown: (value: unknown) => unknown =
        id === guestProgram ? await withoutBlanks() : (value) => value;
      return values
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(shown(value))};`)
        .join("\n");
    },
  };
}

/** The same program, with all its names. */
async function withoutBlanks() {
  const { minifySync } = await import("rolldown/utils");
  const options = { mangle: false, compress: false, codegen: { removeWhitespace: true } };
  return (program: unknown): string => {
    const { code, errors } = minifySync("prelude.js", String(program), options);
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
    return code;
  };
}
