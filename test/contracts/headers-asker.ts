import { openPlane, remote } from "./signing-in.ts";

/**
 * Run as a process of its own: `headers-asker.ts DIRECTORY URL LATER_MS`. Waits for a line, asks for the headers of
 * ada at the server 'remote' and prints them.
 */
const [directory, url, laterMs] = process.argv.slice(2);
if (directory !== undefined && url !== undefined) {
  const plane = await openPlane(directory);
  plane.later(Number(laterMs));
  process.stdout.write("ready\n");
  await new Promise((resolve) => process.stdin.once("data", resolve));
  const headers = await plane.credentials.headers("remote", remote(url, { type: "oauth" }), "ada");
  process.stdout.write(`${JSON.stringify(headers)}\n`);
  await plane[Symbol.asyncDispose]();
  process.stdin.destroy();
}
