import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { readLog, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { postCall } from "../scenarios/requests.ts";
import { isRunning, pidsIn, startServeProcess, within, writeConfig } from "../scenarios/support.ts";

/** Answers, then does what `then` says with every call. It ends by itself after a minute. */
const rogue = (then: string) => `
const { appendFileSync } = require("node:fs");
setTimeout(() => process.exit(), 60_000);
appendFileSync(process.argv[2], JSON.stringify({ event: "start", pid: process.pid }) + "\\n");
process.stdout.on("error", () => {});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
const schema = { type: "object", properties: { text: { type: "string", pattern: "^(a|a)*(b|b)*$" } } };
const tools = [{ name: "go", inputSchema: schema, outputSchema: schema, annotations: { readOnlyHint: true } }];
const answers = {
  initialize: { protocolVersion: "2025-06-18", serverInfo: { name: "r", version: "1" }, capabilities: { tools: {} } },
  "tools/list": { tools },
};
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
let rest = "";
process.stdin.on("data", (chunk) => {
  rest += chunk;
  for (let end = rest.indexOf("\\n"); end >= 0; end = rest.indexOf("\\n")) {
    const { id, method } = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (answers[method]) say({ id, result: answers[method] });
    else if (method === "tools/call") {
      appendFileSync(process.argv[2], JSON.stringify({ event: "call", pid: process.pid }) + "\\n");
      ${then}
    }
    else if (id !== undefined) say({ id, error: { code: -32601, message: "no" } });
  }
});`;

const rogues = {
  "reads nothing more and ignores every signal": "process.stdin.pause(); setInterval(() => {}, 1000);",
  "floods its output":
    'const flood = () => { while (process.stdout.write("x".repeat(5000) + "\\n" + JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "y".repeat(5000) } }) + "\\n")); process.stdout.once("drain", flood); }; flood();',
  "answers what takes long to check, again and again":
    'const text = "a".repeat(2_000_000) + "!"; const result = { content: [], structuredContent: { text } }; setInterval(() => say({ id, result }), 5);',
  "asks without end":
    'setInterval(() => { for (let n = 0; n < 200; n++) say({ id: "q" + Math.random(), method: "roots/list" }); }, 1);',
};

test(`SIGTERM ends serve within its limit and leaves no child, though a server ${Object.keys(rogues).join(", one ")}`, async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  const servers: Parameters<typeof writeConfig>[1] = {};
  for (const [at, then] of Object.values(rogues).entries()) {
    await writeFile(directory.file(`rogue${at}.cjs`), rogue(then));
    servers[`r${at}`] = { command: process.execPath, args: [directory.file(`rogue${at}.cjs`), log] };
  }
  const names = Object.keys(servers);
  await using serving = await startServeProcess(await writeConfig(directory, servers), directory.path);
  await until("their start", () => pidsIn(log).length === names.length);
  const calls = names.map((name) =>
    postCall(serving.url, `${name}.go`, { arguments: { text: "a" } }).catch(() => null),
  );
  await until("the calls", () => readLog(log).filter(({ event }) => event === "call").length === names.length);
  assert.equal(await within("serve after SIGTERM", serving.stop("SIGTERM")), 0);
  await Promise.all(calls);
  assert.deepEqual(pidsIn(log).filter(isRunning), []);
});
