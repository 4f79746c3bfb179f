import { join } from "node:path";
import { buildWorkbenchIfStale } from "./build-workbench.ts";

/** `npm start`: builds the workbench if its sources changed, then serves. */
const parentCheckMs = 500;
const [node = "", , ...flags] = process.argv;

try {
  await buildWorkbenchIfStale(() => process.stderr.write("Building the workbench …\n"));
} catch (thrown) {
  // A plane without its page is better than none.
  process.stderr.write(`The workbench could not be built: ${String(thrown)}\nThe plane serves without it.\n`);
}

// npm starts a shell that starts us, and a signal for npm ends the shell only.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
}, parentCheckMs).unref();

process.argv = [node, join(import.meta.dirname, "..", "src", "bin.ts"), "serve", ...flags];
await import("../src/bin.ts");
