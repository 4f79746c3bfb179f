import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { writeExcerpts } from "./write-excerpts.ts";

const root = join(import.meta.dirname, "..");
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

/** `tsconfig.json` refers to the sources, which are compiled once for all of them. Nothing is compiled that is up to date. */
const projects = [root, join(root, "workbench"), writeExcerpts()];
// More threads check much of the same again: they cost twice the processor time for little.
const words = ["-b", ...projects, "--singleThreaded"];
process.exitCode =
  spawnSync(process.execPath, [compiler, ...words], { cwd: root, stdio: "inherit" }).status ?? 1;
