/**
 * The governed floor: the splice floor with every promise of a plain call, as one straight function over a plan that is
 * made once per tool. It shows what the promises have to cost:
 * arguments are checked against the tool's schema and an argument rule; one time limit; the result is parsed for
 * `isError` and forwarded as the bytes that came; arguments and result are hashed; the record is chained, appended to a
 * file before the answer leaves and committed to SQLite in batches; the health of the tool is kept.
 * Not in it: retries, approvals, hooks, progress, cancellation, spans. Where nothing asks for them, they may cost nothing.
 *   node governed.mjs CONFIG.json     as for splice.mjs, and "dataDir"
 */
import { createHash } from "node:crypto";
import { mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Ajv2020 } from "ajv/dist/2020.js";
import { answerPlainly, failure, jsonId, serve } from "./front.mjs";
import { connectAll, listAll } from "./upstreams.mjs";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const ajv = new Ajv2020({ allErrors: true, strict: false });
const sha = (data) => createHash("sha256").update(data).digest("base64url");

mkdirSync(config.dataDir, { recursive: true });
const spool = openSync(join(config.dataDir, "spool.jsonl"), "a");
const database = new DatabaseSync(join(config.dataDir, "calls.db"));
database.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
CREATE TABLE IF NOT EXISTS calls (id TEXT PRIMARY KEY, at INTEGER, tool TEXT, status TEXT, ms REAL, record TEXT);
CREATE TABLE IF NOT EXISTS samples (tool TEXT, at INTEGER, ok INTEGER, ms REAL);`);
const addCall = database.prepare("INSERT OR IGNORE INTO calls VALUES (?,?,?,?,?,?)");
const addSample = database.prepare("INSERT INTO samples VALUES (?,?,?,?)");
let waiting = [];
setInterval(() => {
  if (waiting.length === 0) return;
  const batch = waiting;
  waiting = [];
  database.exec("BEGIN");
  for (const { id, at, tool, status, ms, line } of batch) {
    addCall.run(id, at, tool, status, ms, line);
    addSample.run(tool, at, status === "succeeded" ? 1 : 0, ms);
  }
  database.exec("COMMIT");
}, 200).unref();

/** One wheel for all time limits: a slot for each 250 ms. */
const wheel = Array.from({ length: 240 }, () => new Set());
const limitSlots = 120;
let hand = 0;
setInterval(() => {
  hand = (hand + 1) % wheel.length;
  for (const call of wheel[hand]) call.expire();
  wheel[hand].clear();
}, 250).unref();

/** Everything about a call that does not depend on its arguments. */
function makePlan({ upstream, tool }) {
  const principal = { user: "local", groups: [] };
  return {
    upstream,
    tool,
    declared: new Set(Object.keys(tool.inputSchema.properties ?? {})),
    check: ajv.compile(tool.inputSchema),
    rule: /^(?!\/etc\/)/u,
    head: `"tool":${JSON.stringify(`${upstream.name}.${tool.name}`)},"server":${JSON.stringify(upstream.name)},"principal":${JSON.stringify(principal)},"face":"mcp","verdict":"allow","provider":"mcp"`,
    name: JSON.stringify(tool.name),
    health: { ring: new Float64Array(100), at: 0, failures: 0 },
  };
}

let previous = "";
function record(plan, { id, status, args, text, raw, startedAt, checkedAt }) {
  const endedAt = performance.now();
  const at = Date.now();
  const stages = `${(checkedAt - startedAt).toFixed(3)},${(endedAt - checkedAt).toFixed(3)}`;
  const body = `{"id":"${id}","at":${at},${plan.head},"status":"${status}","stages":[${stages}],"argumentNames":${JSON.stringify(Object.keys(args))},"argumentsHash":"${sha(text)}","resultHash":"${sha(raw)}"`;
  previous = sha(previous + body);
  const line = `${body},"chain":"${previous}"}`;
  writeSync(spool, `${line}\n`);
  const ms = endedAt - startedAt;
  waiting.push({ id, at, tool: plan.tool.name, status, ms, line });
  const { health } = plan;
  health.ring[health.at++ % 100] = status === "succeeded" ? ms : -1;
  health.failures = status === "succeeded" ? 0 : health.failures + 1;
}

const refusal = (id, why) =>
  `{"jsonrpc":"2.0","id":${jsonId(id)},"result":{"content":[{"type":"text","text":${JSON.stringify(why)}}],"isError":true}}`;

const plans = new Map();
let routes = new Map();
const ready = listAll(connectAll(config.servers));
ready.then((all) => {
  routes = all.routes;
});
const boot = Date.now().toString(36);
let calls = 0;

function call({ id, params }, reply) {
  const startedAt = performance.now();
  let plan = plans.get(params?.name);
  if (plan === undefined) {
    const route = routes.get(params?.name);
    if (route === undefined) return reply([failure(id, "Unknown tool")]);
    plan = makePlan(route);
    plans.set(params.name, plan);
  }
  const given = params.arguments ?? {};
  const args = {};
  for (const key in given) {
    if (!plan.declared.has(key)) continue;
    const value = given[key];
    if (typeof value === "string" && !plan.rule.test(value))
      return reply([refusal(id, "FORBIDDEN")]);
    args[key] = value;
  }
  if (!plan.check(args)) return reply([refusal(id, JSON.stringify(plan.check.errors))]);
  const checkedAt = performance.now();
  const text = JSON.stringify(args);
  const callId = `${boot}-${++calls}`;
  const slot = wheel[(hand + limitSlots) % wheel.length];
  const limited = {
    expire() {
      plan.upstream.forget(sent);
      record(plan, { id: callId, status: "timeout", args, text, raw: "", startedAt, checkedAt });
      reply([refusal(id, "TIMEOUT")]);
    },
  };
  slot.add(limited);
  const sent = plan.upstream.request(
    "tools/call",
    `{"name":${plan.name},"arguments":${text}}`,
    ({ raw, from, to }) => {
      slot.delete(limited);
      const parsed = JSON.parse(raw.toString("utf8"));
      const status =
        parsed.error !== undefined || parsed.result?.isError === true ? "failed" : "succeeded";
      record(plan, { id: callId, status, args, text, raw, startedAt, checkedAt });
      reply([raw.subarray(0, from), jsonId(id), raw.subarray(to)]);
    },
  );
}

serve(config, (message, reply) => {
  if (message.method === "tools/call") call(message, reply);
  else answerPlainly(message, ready, reply);
});
