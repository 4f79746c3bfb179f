// One call with nothing but a pipe: spawn, handshake, call, print, stop. The floor.
import { spawn } from "node:child_process";

const child = spawn(process.execPath, [process.argv[2]], { stdio: ["pipe", "pipe", "inherit"] });
const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const clientInfo = { name: "raw", version: "1.0.0" };
send({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
});

let buffered = "";
child.stdout.on("data", (chunk) => {
  const lines = (buffered + chunk).split("\n");
  buffered = lines.pop();
  for (const line of lines) {
    const { id, result } = JSON.parse(line);
    if (id === 1) {
      send({ method: "notifications/initialized" });
      send({
        id: 2,
        method: "tools/call",
        params: { name: "echo", arguments: { message: "hello" } },
      });
    } else {
      process.stdout.write(`${result.content[0].text}\n`);
      child.stdin.end();
    }
  }
});
