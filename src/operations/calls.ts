import { z } from "zod";
import { agentOutcomes } from "../model/agent/agent-run.ts";
import type { CallRecord as StoredCall } from "../model/calls/call.ts";
import { maxSeriesMinutes, maxSeriesSteps } from "../model/calls/call-history.ts";
import { collect } from "../model/page.ts";
import type { Caller, Plane } from "../model/plane.ts";
import { Cursor, count, defaultPage, flag, Limit, NextCursor, oneOf, page, text, wholeNumber } from "./fields.ts";
import { operation } from "./operation.ts";
import { CallSummary, maxSummed, summarizeCalls } from "./schemas/call-summary.ts";
import { type CallAnswer, CallRecord, CallStatus, origin } from "./schemas/outcome.ts";
import { Run, RunSummary } from "./schemas/run.ts";

const tag = "Calls";
const own = "Your own; those of all callers with the scope `admin`.";
const user = z.string().optional().meta({ description: "Only those of this user; others than yourself for admins." });

const counts = {
  calls: z.number().int(),
  errors: z.number().int().meta({ description: "Those that failed, were refused, or ended with a tool error." }),
  byStatus: z.partialRecord(CallStatus, z.number().int()),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
};

const CallSeries = z
  .object({
    since: z.string(),
    until: z.string(),
    stepMs: z.number().int(),
    steps: z.array(z.object({ at: z.string(), ...counts })),
    total: z.object(counts),
  })
  .meta({ id: "CallSeries", description: "By the time calls began at; the last step is not over yet." });

const ActivityEntry = z
  .object({
    id: z.string(),
    at: z.string(),
    tool: z.string(),
    user: z.string().nullable(),
    face: z.string(),
    status: CallStatus,
    durationMs: z.number(),
    ...origin,
    arguments: z.string(),
    result: z.string().nullable(),
    code: z.string().nullable(),
  })
  .meta({ id: "ActivityEntry" });

type AnsweredRecord = StoredCall & { answer?: Answered };
type Answered = z.infer<typeof CallAnswer>;

const isOpen = (answer: Answered | undefined) =>
  answer === undefined || ["pending", "approved", "running"].includes(answer.status);

/** A record is never changed; what became of a call that waited is told beside it. */
function withAnswers(plane: Plane, records: readonly StoredCall[], asker: Caller): Promise<AnsweredRecord[]> {
  return Promise.all(
    records.map(async (record) => {
      const id = record.status === "waiting" ? record.error?.data.approvalId : undefined;
      const held = typeof id === "string" ? await plane.approvals.get(id, asker).catch(() => null) : null;
      if (held === null) return record;
      const { status, outcome, answer } = held;
      const ran = outcome === null ? null : { callId: outcome.callId, ok: outcome.ok, code: outcome.code };
      return { ...record, answer: { approvalId: held.id, status, by: answer?.by ?? null, outcome: ran } };
    }),
  );
}

/** Arguments and results, where they are kept at all. */
async function withPayloads(plane: Plane, records: readonly AnsweredRecord[], asker: Caller) {
  const kept = await plane.calls.payloads(
    records.map(({ id }) => id),
    asker,
  );
  if (kept === null) return records;
  const byId = new Map(kept.map(({ id, ...payload }) => [id, payload]));
  return records.map((record) => ({ ...record, payload: byId.get(record.id) ?? null }));
}

const calls = [
  operation({
    name: "calls.activity",
    args: [],
    summary: "The last hundred calls in short, newest first",
    description: `${own} Kept in memory only; what looks secret is hidden.`,
    scope: "read",
    input: z.object({}),
    output: z.object({ activity: z.array(ActivityEntry) }),
    http: {
      method: "get",
      path: "/activity",
      tag,
      answers: { 200: "All of them." },
      show: (activity: unknown[]) => ({ activity }),
    },
    cli: { command: "activity" },
  }),
  operation({
    name: "calls.list",
    args: ["..."],
    summary: "Calls, newest first",
    description: own,
    scope: "read",
    input: z.object({
      tool: z.string().optional().meta({ description: "Calls of the tool of exactly this name." }),
      status: oneOf(CallStatus.options).optional(),
      user,
      run: z.string().optional().meta({ description: "Calls of this run of an agent." }),
      payloads: flag("With arguments and results, where `observability.keepPayloads` is on."),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({ calls: z.array(CallRecord), nextCursor: NextCursor }),
    http: { method: "get", path: "/calls", tag, answers: { 200: "One page." } },
    cli: { command: "calls list" },
    async run(plane, { limit = defaultPage, cursor, payloads = false, ...filter }, asker) {
      const read = async (part: object) =>
        withAnswers(plane, await plane.calls.list({ ...(filter as object), ...part }, asker), asker);
      const isMeant = ({ answer }: AnsweredRecord) => filter.status !== "waiting" || isOpen(answer);
      const found = await collect(read, isMeant, {
        limit: limit + 1,
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      const shown = found.slice(0, limit);
      const calls = payloads ? await withPayloads(plane, shown, asker) : shown;
      return { calls, nextCursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null };
    },
  }),
  operation({
    name: "calls.series",
    args: ["..."],
    summary: "How many calls there were lately, how they went and how long they took",
    description: own,
    scope: "read",
    input: z.object({
      minutes: count(maxSeriesMinutes, { default: 60, description: "How far back." }),
      step: count(maxSeriesMinutes, {
        default: 1,
        description: `How long a step is, in minutes; there are ${maxSeriesSteps} steps at most.`,
      }),
      user,
    }),
    output: CallSeries,
    http: { method: "get", path: "/calls/series", tag, answers: { 200: "Steps of time, oldest first." } },
    cli: { missing: "`stats` and the workbench show it" },
    run: (plane, { step, ...query }, asker) =>
      plane.calls.series({ ...(query as object), ...(step === undefined ? {} : { stepMinutes: step }) }, asker),
  }),
  operation({
    name: "calls.summary",
    args: ["..."],
    summary: "Which tools, servers and users called, how often it failed and how long it took",
    description: `${own} Of the newest ${maxSummed} calls at most; \`isWhole\` says whether that was all.`,
    scope: "read",
    input: z.object({ minutes: count(maxSeriesMinutes, { default: 60, description: "How far back." }), user }),
    output: CallSummary,
    http: { method: "get", path: "/calls/summary", tag, answers: { 200: "Most called first." } },
    cli: { missing: "`calls list --json` has the calls" },
    socket: { missing: "it is made of `calls.list`" },
    run: (plane, { minutes = 60, ...filter }, asker) =>
      summarizeCalls((part) => plane.calls.list({ ...(filter as object), ...part }, asker), minutes),
  }),
  operation({
    name: "calls.get",
    args: ["id"],
    summary: "One call: how it was decided and how it went",
    scope: "read",
    input: z.object({ id: text("The call's id.") }),
    output: CallRecord,
    http: { method: "get", path: "/calls/{id}", tag, answers: { 200: "What is kept of it." } },
    cli: { command: "calls show" },
    async run(plane, { id }, asker) {
      const [shown] = await withAnswers(plane, [await plane.calls.get(id, asker)], asker);
      return (await withPayloads(plane, shown === undefined ? [] : [shown], asker))[0] as AnsweredRecord;
    },
  }),
];

const StoredResult = z
  .object({
    id: z.string(),
    callId: z.string(),
    tool: z.string(),
    user: z.string().nullable(),
    at: z.string(),
    expiresAt: z.string(),
    hash: z.string().meta({ description: "SHA-256 of the result as JSON." }),
    characters: z.number().int(),
    bytes: z.number().int().meta({ description: "What it takes in the store." }),
  })
  .meta({ id: "StoredResult" });

const ResultPage = z
  .object({
    id: z.string(),
    tool: z.string(),
    callId: z.string(),
    expiresAt: z.string(),
    unit: z.enum(["characters", "lines", "matches"]),
    offset: z.number().int(),
    total: z.number().int(),
    nextOffset: z.number().int().nullable().meta({ description: "Null when this is the end." }),
    text: z.string(),
  })
  .meta({ id: "ResultPage" });

/** Results that were too large to be given whole. */
const results = [
  operation({
    name: "results.page",
    args: ["..."],
    summary: "Large results that are kept, newest first",
    description: own,
    scope: "read",
    input: z.object(page),
    output: z.object({ results: z.array(StoredResult), nextCursor: NextCursor }),
    http: { method: "get", path: "/results", tag, answers: { 200: "One page." } },
    cli: { command: "results list" },
    run: (plane, { limit = defaultPage, ...query }, asker) =>
      plane.results.page({ limit, ...(query as object) }, asker),
  }),
  operation({
    name: "results.get",
    args: ["id", "..."],
    summary: "A part of a large result",
    scope: "read",
    input: z.object({
      id: text("The id that was given in place of the result."),
      offset: wholeNumber(0, "Where to begin: a character, with `lines` a line, with `grep` a match."),
      limit: wholeNumber(1, "At most so many: 100000 characters, 10000 lines or 1000 matches."),
      path: z.string().optional().meta({
        description: "A JSON pointer or names with dots; `$result` leads into the result as it came.",
      }),
      grep: z.string().optional().meta({ description: "A pattern (RE2) that is looked for in every line." }),
      lines: flag("Count lines instead of characters."),
    }),
    output: ResultPage,
    http: { method: "get", path: "/results/{id}", tag, answers: { 200: "One page of its text." } },
    cli: { command: "results get" },
  }),
];

/** What agents did. */
const runs = [
  operation({
    name: "runs.page",
    args: ["..."],
    summary: "Runs of agents, newest first",
    description: `${own} Without steps and messages.`,
    scope: "read",
    input: z.object({
      outcome: oneOf(agentOutcomes).optional(),
      model: z.string().optional(),
      toolset: z.string().optional(),
      conversation: z.string().optional(),
      since: z
        .string()
        .optional()
        .meta({ description: "Those that began then or later: a time such as `2026-11-15T09:00:00Z`." }),
      user,
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({ runs: z.array(RunSummary), nextCursor: NextCursor }),
    http: { method: "get", path: "/runs", tag, answers: { 200: "One page." } },
    cli: { command: "calls runs" },
    run: (plane, { limit = defaultPage, ...query }, asker) => plane.runs.page({ limit, ...(query as object) }, asker),
  }),
  operation({
    name: "runs.get",
    args: ["id"],
    summary: "One run: what was said, what was called, and where the time went",
    scope: "read",
    input: z.object({ id: text("The run's id.") }),
    output: Run,
    http: {
      method: "get",
      path: "/runs/{id}",
      tag,
      headers: { Accept: "`text/plain` for text to read; JSON otherwise." },
      answers: { 200: "What is kept of it." },
      also: ["text/plain"],
    },
    cli: { command: "calls show" },
  }),
];

const events = [
  operation({
    name: "events.page",
    args: ["after"],
    summary: "What happens, as it happens",
    description:
      "Server-sent events: those of your own calls and of the servers you may use; everything with the scope `admin`.",
    scope: "read",
    input: z.object({ after: z.string().optional().meta({ description: "The id of an event." }) }),
    output: z.string(),
    http: {
      method: "get",
      path: "/events",
      tag: "Events",
      headers: { "Last-Event-ID": "The last event that was read; goes on behind it. The same as `after`." },
      answers: { 200: "A stream that does not end." },
      type: "text/event-stream",
    },
    cli: { missing: "commands print the events of their own calls; `activity` lists the last ones" },
    socket: { missing: "a question over the socket names the events that it wants to hear" },
  }),
];

export const callOperations = [...calls, ...results, ...runs, ...events];
