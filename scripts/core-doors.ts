import { readFileSync } from "node:fs";
import { join } from "node:path";

const core = join(import.meta.dirname, "..", "src");
const coreName = "@toolplane/core/";
const bundledName = "#bundled/";

/** What packages may import of the core, and where it is in `src`. */
export const doors: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(core, "package.json"), "utf8"),
).exports;

/**
 * The file in `src` that a package imports by this name, or the core by that of a list of what packages bring. Null where it
 * is no name of the core, or no door.
 */
export function fileBehind(name: string): string | null {
  if (name.startsWith(bundledName)) return join("bundled", `${name.slice(bundledName.length)}.ts`);
  if (!name.startsWith(coreName)) return null;
  const door = name.slice(coreName.length);
  const named = doors[`./${door}`];
  if (named !== undefined) return join(named);
  const [room = "", ...path] = door.split("/");
  const open = doors[`./${room}/*`];
  return open === undefined ? null : join(open.replace("*", path.join("/")));
}
