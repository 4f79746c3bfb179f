import { hash } from "../lib/json/stable-json.ts";
import { createLru } from "../lib/lru.ts";
import { redactDeep } from "../lib/text/redact.ts";
import { rounded } from "../lib/text/wording.ts";
import type { Executed, SucceededOutcome } from "../model/calls/call.ts";
import type { Verdict } from "../model/calls/call-schema.ts";
import type { HealthSample } from "../model/catalogue/health.ts";
import { healthKey, personaSubject, providerSubject, toolSubject } from "../model/catalogue/health.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { EventOf } from "../model/events.ts";
import type { Face, Principal } from "../model/principal.ts";
import type { CallColumns } from "../model/store.ts";
import { hashResult } from "./record.ts";

/** The constant parts of the records of a plan. */
export type RecordPlan = {
  tool: string;
  server: string | null;
  provider: string;
  user: { user: string | null };
  head: string;
  subjects: readonly string[];
  /** For its events, redacted. */
  begun: Omit<EventOf<"tool.call">, "callId">;
  named: { server: string | null; provider: string };
};

export function planRecord(tool: Tool, principal: Principal, face: Face, provider: string): RecordPlan {
  const name = redactDeep(tool.name);
  const { server } = tool.id;
  const key = healthKey(tool);
  const viewer = tool.persona === null ? principal.persona : null;
  const facts = JSON.stringify({ tool: name, server, principal, face, status: "succeeded" });
  return {
    tool: name,
    server,
    provider,
    user: { user: principal.user },
    begun: redactDeep({
      type: "tool.call",
      user: principal.user,
      ...(principal.key !== undefined && { key: principal.key }),
      tool: name,
    }),
    named: redactDeep({ server, provider }),
    head: `${facts.slice(1, -1)},"durationMs":`,
    subjects: [toolSubject(key), ...(viewer === null ? [] : [personaSubject(key, viewer)])].concat(
      providerSubject(key, provider),
    ),
  };
}

type Stored = { stored?: { id: string } };
type Times = { validate: number; execute: number };

/** A call that succeeded, as `toRecord` records it, written at once as JSON. */
export function writeRecord(
  { head, provider, ...plan }: RecordPlan,
  call: Executed,
  { call: report, stored }: Pick<SucceededOutcome, "call"> & Stored,
  times: Times,
): { columns: CallColumns; text: string } {
  const { id, at, input, approval, executed, options } = call;
  const { conversation } = options;
  const { durationMs } = report;
  const by = JSON.stringify(provider);
  const attempt = `{"provider":${by},"ok":true,"durationMs":${executed.attempts[0]?.durationMs ?? 0},"error":null}`;
  const names = namesText(Object.keys(input.arguments));
  const hashes = `"argumentsHash":"${hash(input.arguments)}","injected":[],"approval":${textOfVerdict(approval)},"resultHash":"${hashResult(executed.result)}"`;
  const within = conversation === undefined ? "" : `"conversation":${JSON.stringify(conversation)},`;
  const end = `"error":null,${within}"stages":${stagesText(times)}${stored ? `,"stored":${JSON.stringify(stored.id)}` : ""}`;
  const text = `{"id":"${id}","at":"${at}",${head}${durationMs},"provider":${by},"attempts":[${attempt}],"argumentNames":${names},${hashes},${end}}`;
  const { tool, server, user } = plan;
  const columns: CallColumns = { id, at, tool, status: "succeeded", server, durationMs, principal: user };
  if (conversation !== undefined) columns.conversation = conversation;
  return { columns, text };
}

/** Callers of a tool give the same few arguments. */
const namesTexts = createLru<string>(100);
const maxNamesLength = 500;

function namesText(names: readonly string[]): string {
  const plain = JSON.stringify(names);
  const known = namesTexts.get(plain);
  if (known !== undefined) return known;
  const text = JSON.stringify(redactDeep(names));
  if (plain.length < maxNamesLength) namesTexts.set(plain, text);
  return text;
}

const verdictTexts = new WeakMap<Verdict, string>();

/** A plan has one verdict for all its calls. */
function textOfVerdict(verdict: Verdict): string {
  const known = verdictTexts.get(verdict) ?? JSON.stringify(redactDeep(verdict));
  verdictTexts.set(verdict, known);
  return known;
}

/** What was planned took no time. */
export function plannedStages({ validate }: Pick<Times, "validate">) {
  return (["resolve", "authorize", "validate", "inject", "approve", "route"] as const).map((stage) => ({
    stage,
    ms: stage === "validate" ? validate : 0,
  }));
}

const [before, after] = JSON.stringify(plannedStages({ validate: -1 })).split("-1") as [string, string];

function stagesText({ validate, execute }: Times): string {
  return `${before}${validate}${after.slice(0, -1)},{"stage":"execute","ms":${execute}}]`;
}

export function samplesOfPlan({ subjects }: RecordPlan, at: string, durationMs: number, ms: number): HealthSample[] {
  const last = subjects.length - 1;
  return subjects.map((subject, place) => ({ subject, at, ok: true, latencyMs: place === last ? ms : durationMs }));
}

export function begunEvent({ begun }: RecordPlan, callId: string): EventOf<"tool.call"> {
  return { ...begun, callId };
}

export function succeededEvent({ named, tool }: RecordPlan, id: string, durationMs: number, ms: number) {
  const { server, provider } = named;
  const attempts = [{ provider, ok: true, durationMs: rounded(ms) }];
  const ended = { success: true, status: "succeeded", durationMs, code: null } as const;
  return { type: "tool.result", callId: id, tool, ...ended, attempts, server } satisfies EventOf<"tool.result">;
}
