import { join } from "node:path";
import { buildWorkbenchIfStale } from "./build-workbench.ts";

/** `npm start`: builds the workbench if its sources changed, then serves. */
const parentCheckMs = 500;
const [node = "", , ...flags] = process.argv;

try {
  await buildWorkbenchIfStale(() => process.stderr.write("Building the workbench …\n"));
} catch (thrown) {
  // A plane without its page is better than none.
  process.stderr.write(
    `The workbench could not be built: ${String(thrown)}\nThe plane serves without it.\n`,
  );
}

// npm starts a shell that starts us, and a signal for npm ends the shell only.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
}, parentCheckMs).unref();

const root = join(import.meta.dirname, "..");
// The checkout's own demo servers are named, which is consent to them.
const config = flags.some((flag) => /^--config(=|$)/.test(flag))
  ? []
  : ["--config", join(root, "toolplane.json")];
process.argv = [node, join(root, "src", "bin.ts"), "serve", ...config, ...flags];
await import("../src/bin.ts");
