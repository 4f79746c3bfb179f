import { hash } from "../lib/json/stable-json.ts";
import { redactDeep } from "../lib/text/redact.ts";
import { rounded } from "../lib/text/wording.ts";
import type { Executed, SucceededOutcome, Verdict } from "../model/calls/call.ts";
import type { HealthSample } from "../model/catalogue/health.ts";
import { healthKey, personaSubject, providerSubject, toolSubject } from "../model/catalogue/health.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import type { PlaneEvent } from "../model/events.ts";
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
  const { id, at, input, approval, executed } = call;
  const { durationMs } = report;
  const by = JSON.stringify(provider);
  const attempt = `{"provider":${by},"ok":true,"durationMs":${executed.attempts[0]?.durationMs ?? 0},"error":null}`;
  const names = JSON.stringify(redactDeep(Object.keys(input.arguments)));
  const hashes = `"argumentsHash":"${hash(input.arguments)}","injected":[],"approval":${textOfVerdict(approval)},"resultHash":"${hashResult(executed.result)}"`;
  const end = `"error":null,"stages":${stagesText(times)}${stored ? `,"stored":${JSON.stringify(stored.id)}` : ""}`;
  const text = `{"id":"${id}","at":"${at}",${head}${durationMs},"provider":${by},"attempts":[${attempt}],"argumentNames":${names},${hashes},${end}}`;
  const { tool, server, user } = plan;
  return { columns: { id, at, tool, status: "succeeded", server, durationMs, principal: user }, text };
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

export function succeededEvent({ server, provider, tool }: RecordPlan, id: string, durationMs: number, ms: number) {
  const attempts = [{ provider, ok: true, durationMs: rounded(ms) }];
  const ended = { success: true, status: "succeeded", durationMs, code: null } as const;
  return { type: "tool.result", callId: id, tool, ...ended, attempts, server } satisfies PlaneEvent;
}
