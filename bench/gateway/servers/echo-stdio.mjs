/** The echo server over stdio. `--delay` passes before the first byte is read: the start-up work of a real server. */
import { createEcho, parseEchoArgs } from "./echo.mjs";

const options = parseEchoArgs(process.argv.slice(2));
const handle = createEcho(options);

let rest = "";
/** Answers to one chunk leave with one write. */
let batch = "";
let isBatching = false;
function reply(json) {
  if (isBatching) batch += `${json}\n`;
  else process.stdout.write(`${json}\n`);
}

function start() {
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    isBatching = true;
    for (const line of lines) {
      if (line === "" || line === "\r") continue;
      handle(JSON.parse(line), reply);
    }
    isBatching = false;
    if (batch !== "") {
      process.stdout.write(batch);
      batch = "";
    }
  });
  process.stdin.on("end", () => process.exit(0));
}
process.on("SIGTERM", () => process.exit(0));
process.stdout.on("error", () => process.exit(0));
if (options.delay > 0) setTimeout(start, options.delay);
else start();
