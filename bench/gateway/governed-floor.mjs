// What the promises of a plain call cost when they are one straight function: arguments are checked, one rule is looked at,
// the call has a time limit, hashes and a chained record that is on disk before the answer, and a row in SQLite soon after.
// Everything that does not depend on arguments is decided once per tool. `node governed-floor.mjs DIRECTORY SCRIPT [ARGS…]`.
import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Ajv2020 } from "ajv/dist/2020.js";

const [directory, ...command] = process.argv.slice(2);
const limitMs = 60_000;
const spool = openSync(join(directory, "spool.jsonl"), "a");
const database = new DatabaseSync(join(directory, "calls.db"));
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
  CREATE TABLE calls (id TEXT PRIMARY KEY, at INTEGER, tool TEXT, status TEXT, ms REAL, record TEXT);
  CREATE TABLE samples (tool TEXT, at INTEGER, ok INTEGER, ms REAL);`);
const [addCall, addSample] = ["calls VALUES (?, ?, ?, ?, ?, ?)", "samples VALUES (?, ?, ?, ?)"].map((into) =>
  database.prepare(`INSERT INTO ${into}`),
);
let batch = [];
setInterval(() => {
  if (batch.length === 0) return;
  const stored = batch;
  batch = [];
  database.exec("BEGIN");
  for (const [call, sample] of stored) {
    addCall.run(...call);
    addSample.run(...sample);
  }
  database.exec("COMMIT");
}, 200).unref();

const child = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
let lastId = 0;
let pieces = [];
child.stdout.on("data", (chunk) => {
  let from = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
    const tail = chunk.subarray(from, end);
    take(pieces.length === 0 ? tail : Buffer.concat([...pieces, tail]));
    pieces = [];
    from = end + 1;
  }
  if (from < chunk.length) pieces.push(chunk.subarray(from));
});

// All limits are the same, so the oldest call ends first: one look at the clock serves them all.
setInterval(() => {
  for (const [id, one] of waiting) {
    if (performance.now() - one.sentAt < limitMs) break;
    waiting.delete(id);
    one.refuse("TIMEOUT");
  }
}, 250).unref();

function send(method, params, one) {
  const id = ++lastId;
  waiting.set(id, one);
  child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`);
}

function take(line) {
  const head = line.toString("latin1", 0, 64);
  const [said, digits] = /"id":(\d+)/.exec(head) ?? [];
  const one = waiting.get(Number(digits));
  if (one === undefined) return;
  waiting.delete(Number(digits));
  one.answered(line, head.indexOf(said) + said.length);
}

const ask = (method, params) =>
  new Promise((resolve) => {
    send(method, JSON.stringify(params), {
      sentAt: Number.POSITIVE_INFINITY,
      answered: (line) => resolve(JSON.parse(line.toString()).result),
    });
  });

const plans = new Map();
const compile = (tool) => ({
  check: new Ajv2020({ allErrors: true, strict: false }).compile(tool.inputSchema),
  declared: new Set(Object.keys(tool.inputSchema.properties ?? {})),
  rule: /^(?!\/etc\/)/u,
  head: JSON.stringify({ tool: tool.name, user: "local", face: "mcp", verdict: "allow" }).slice(1, -1),
  name: tool.name,
  health: { last: new Float64Array(100), at: 0 },
});

let chain = "";
let recorded = 0;
function record(plan, status, times, names, text, line) {
  const at = Date.now();
  const id = `${at}-${++recorded}`;
  const body = `{"id":"${id}","at":${at},${plan.head},"status":"${status}","stages":[${times}],"names":${JSON.stringify(names)},"arguments":"${hash("sha256", text)}","result":"${hash("sha256", line)}"`;
  chain = hash("sha256", chain + body);
  const written = `${body},"chain":"${chain}"}`;
  writeSync(spool, `${written}\n`);
  const ms = times[0] + times[1];
  batch.push([
    [id, at, plan.name, status, ms, written],
    [plan.name, at, status === "succeeded" ? 1 : 0, ms],
  ]);
  plan.health.last[plan.health.at++ % 100] = status === "succeeded" ? ms : -1;
}

class Call {
  constructor(plan, own, response, args, startedAt) {
    Object.assign(this, {
      plan,
      own,
      response,
      args,
      startedAt,
      text: JSON.stringify(args),
      sentAt: performance.now(),
    });
  }
  answered(line, idEnd) {
    const { result, error } = JSON.parse(line.toString());
    const status = error === undefined && result.isError !== true ? "succeeded" : "failed";
    const times = [this.sentAt - this.startedAt, performance.now() - this.sentAt];
    record(this.plan, status, times, Object.keys(this.args), this.text, line);
    const before = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(this.own)}`);
    const rest = line.subarray(idEnd);
    this.response.writeHead(200, {
      "content-type": "application/json",
      "content-length": before.length + rest.length,
    });
    this.response.write(before);
    this.response.end(rest);
  }
  refuse(why) {
    const result = { content: [{ type: "text", text: why }], isError: true };
    answer(this.response, this.own, JSON.stringify(result));
  }
}

function call({ id, params }, response) {
  const startedAt = performance.now();
  const plan = plans.get(params.name);
  const args = {};
  for (const name in params.arguments) {
    const value = params.arguments[name];
    if (!plan.declared.has(name)) continue;
    if (typeof value === "string" && !plan.rule.test(value))
      return new Call(plan, id, response, {}, 0).refuse("FORBIDDEN");
    args[name] = value;
  }
  const one = new Call(plan, id, response, args, startedAt);
  if (!plan.check(args)) return one.refuse("INVALID_ARGUMENTS");
  send("tools/call", `{"name":${JSON.stringify(plan.name)},"arguments":${one.text}}`, one);
}

const answer = (response, id, result) => {
  response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "governed" });
  response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
};
const opened = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "governed", version: "1.0.0" },
};
await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: opened.serverInfo });
const { tools } = await ask("tools/list", {});
for (const tool of tools) plans.set(tool.name, compile(tool));

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const message = JSON.parse(Buffer.concat(chunks).toString());
    if (message.id === undefined) return response.writeHead(202).end();
    if (message.method === "tools/call") return call(message, response);
    answer(response, message.id, JSON.stringify(message.method === "tools/list" ? { tools } : opened));
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.on("SIGTERM", () => process.exit(0));
child.on("exit", () => process.exit(1));
