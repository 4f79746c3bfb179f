import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Runs a tool of this package in the project: `node scripts/tools/run.ts biome check`. Installs the tools where they are missing. */
const root = join(import.meta.dirname, "..", "..");
const [name = "", ...words] = process.argv.slice(2);
const tool = join(import.meta.dirname, "node_modules", ".bin", name);
if (!existsSync(tool)) execFileSync("npm", ["run", "-s", "tools"], { cwd: root, stdio: "inherit" });
process.exitCode = spawnSync(tool, words, { cwd: root, stdio: "inherit" }).status ?? 1;
