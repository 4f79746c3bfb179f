import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Every test file is a process of its own, so what is compiled for one is kept for the others. */
const root = join(import.meta.dirname, "..");
const env = { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node"), ...process.env };
const all = ["src/**/*.test.ts", "workbench/src/**/*.test.ts", "test/**/*.test.ts"];
const named = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  ["--test", "--test-concurrency=2", ...(named.length > 0 ? named : all)],
  { cwd: root, env, stdio: "inherit" },
);
process.exitCode = status ?? 1;
