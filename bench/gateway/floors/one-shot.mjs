/**
 * The floor of a command that makes one call: reads the configuration, starts the server, calls or lists, prints, ends.
 *   node one-shot.mjs CONFIG.json list | call TOOL
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const [, , file, what, tool] = process.argv;
const [{ command, args }] = Object.values(JSON.parse(readFileSync(file, "utf8")).mcpServers);
const clientInfo = { name: "one-shot", version: "1" };
const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
const asked =
  what === "list"
    ? { id: 2, method: "tools/list" }
    : { id: 2, method: "tools/call", params: { name: tool, arguments: { size: 100 } } };

const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
let text = "";
child.stdout.setEncoding("utf8");
child.stdout.on("data", (chunk) => {
  text += chunk;
  const lines = text.split("\n");
  if (lines.length < 3) return;
  console.log(JSON.stringify(JSON.parse(lines[1]).result));
  child.kill();
  process.exit(0);
});
for (const request of [{ id: 1, method: "initialize", params: initialize }, asked]) {
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`);
}
