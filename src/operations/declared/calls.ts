import { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { CallProof } from "../../model/audit-schema.ts";
import { maxSeriesMinutes, maxSeriesSteps } from "../../model/calls/call-history.ts";
import type { CallRecord as StoredCall } from "../../model/calls/call-schema.ts";
import {
  ActivityEntry,
  CallSeries,
  CallUsage,
  RunningCall,
} from "../../model/calls/call-schema.ts";
import { ResultPage, StoredResult } from "../../model/calls/result-schema.ts";
import { collectPages } from "../../model/page.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import { type QueueView, queueView } from "../../model/work/dead-letter.ts";
import { pageOptions } from "../command-options.ts";
import {
  Cursor,
  count,
  defaultPage,
  flag,
  Limit,
  NextCursor,
  oneOf,
  page,
  text,
  wholeNumber,
} from "../fields.ts";
import { operation } from "../operation.ts";
import {
  type ExportFormat,
  exportFormats,
  renderExport as exportRecords,
  exportTypes,
} from "../schemas/call-export.ts";
import { callFilterOptions, callFilters, ownOnly, user } from "../schemas/call-filters.ts";
import { CallSummary, maxSummed, summarizeCalls } from "../schemas/call-summary.ts";
import { type CallAnswerSchema, ShownRecord } from "../schemas/outcome.ts";

const tag = "Calls";
type AnsweredRecord = StoredCall & { answer?: Answered; queued?: QueueView | null };
type Answered = z.infer<typeof CallAnswerSchema>;

const isOpen = (answer: Answered | undefined) =>
  answer === undefined || ["pending", "approved", "running"].includes(answer.status);

/** A record is never changed; what became of a call that waited is shown beside it. */
const isInQueue = (queued: QueueView | null) =>
  queued?.status === "pending" || queued?.status === "retrying";

function withAnswers(
  plane: Plane,
  records: readonly StoredCall[],
  asker: Caller,
): Promise<AnsweredRecord[]> {
  return Promise.all(
    records.map(async (record) => {
      if (record.error?.code === "CALL_QUEUED") return withQueue(plane, record, asker);
      const id = record.status === "waiting" ? record.error?.data.approvalId : undefined;
      const approval =
        typeof id === "string" ? await plane.approvals.get(id, asker).catch(() => null) : null;
      if (approval === null) return record;
      const { status, outcome, answer } = approval;
      const outcomeView =
        outcome === null ? null : { callId: outcome.callId, ok: outcome.ok, code: outcome.code };
      return {
        ...record,
        answer: { approvalId: approval.id, status, by: answer?.by ?? null, outcome: outcomeView },
      };
    }),
  );
}

/** What has become of a call that was accepted; a deleted one is cancelled. */
async function withQueue(plane: Plane, record: StoredCall, asker: Caller): Promise<AnsweredRecord> {
  const letter = await plane.deadLetters.get(record.id, asker).catch(() => null);
  return { ...record, queued: letter === null ? null : queueView(letter) };
}

/** Arguments and results, where they are kept at all. */
async function withPayloads(plane: Plane, records: readonly AnsweredRecord[], asker: Caller) {
  const keptPayloads = await plane.calls.payloads(
    records.map(({ id }) => id),
    asker,
  );
  if (keptPayloads === null) return records;
  const byId = new Map(keptPayloads.map(({ id, ...payload }) => [id, payload]));
  return records.map((record) => ({ ...record, payload: byId.get(record.id) ?? null }));
}

const Har = z
  .object({
    log: z.object({
      version: z.string(),
      creator: z.object({ name: z.string(), version: z.string() }),
      entries: z.array(
        z.looseObject({ startedDateTime: z.string(), time: z.number(), _callId: z.string() }),
      ),
    }),
  })
  .meta({ id: "Har", description: "HAR 1.2; fields of our own begin with `_`." });

type ExportQuery = z.output<z.ZodObject<typeof callFilters>> & {
  format?: ExportFormat | undefined;
  limit?: number | undefined;
};

/** The calls that the filter finds, as text in a format. */
export function readExport(
  plane: Plane,
  { format = "jsonl", limit, ...filter }: ExportQuery,
  asker: Caller,
) {
  const read = async (part: object) => {
    const records = await plane.calls.list({ ...(filter as object), ...part }, asker);
    return withPayloads(plane, await withAnswers(plane, records, asker), asker);
  };
  return exportRecords(read as never, format, limit);
}

const calls = [
  operation({
    name: "calls.activity",
    args: [],
    summary: "Summaries of the last hundred calls, newest first",
    description: `${ownOnly} Kept in memory only; what looks secret is hidden.`,
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
    cli: {
      command: "activity",
      about: "the last 100 calls of the running plane",
      options: { "--follow": "print new calls as they happen, until Ctrl-C" },
      examples: ["activity", "activity --follow"],
    },
  }),
  operation({
    name: "calls.list",
    args: ["..."],
    summary: "Calls, newest first",
    description: ownOnly,
    scope: "read",
    input: z.object({
      ...callFilters,
      payloads: flag("With arguments and results, where `observability.keepPayloads` is on."),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({ calls: z.array(ShownRecord), nextCursor: NextCursor }),
    http: { method: "get", path: "/calls", tag, answers: { 200: "One page." } },
    cli: {
      command: "calls list",
      about: "recorded calls, newest first; with --user only those of that user",
      options: {
        ...callFilterOptions,
        "--payloads": "include arguments and results, if observability.keepPayloads is on",
        ...pageOptions,
      },
      examples: [
        "calls list",
        "calls list --status failed --limit 20",
        "calls list --since 2026-11-17 --until 2026-11-17 --min-ms 1000",
        "calls list --user ann",
      ],
    },
    async run(plane, { limit = defaultPage, cursor, payloads = false, ...filter }, asker) {
      const read = async (part: object) =>
        withAnswers(
          plane,
          await plane.calls.list({ ...(filter as object), ...part }, asker),
          asker,
        );
      const isListed = ({ answer, queued }: AnsweredRecord) =>
        filter.status !== "waiting" || (queued === undefined ? isOpen(answer) : isInQueue(queued));
      const matchingRecords = await collectPages(read, isListed, {
        limit: limit + 1,
        ...withoutUndefined({ before: cursor }),
      });
      const pageRecords = matchingRecords.slice(0, limit);
      const calls = payloads ? await withPayloads(plane, pageRecords, asker) : pageRecords;
      return {
        calls,
        nextCursor: matchingRecords.length > limit ? (pageRecords.at(-1)?.id ?? null) : null,
      };
    },
  }),
  operation({
    name: "calls.running",
    args: [],
    summary: "Calls that have not ended, oldest first",
    description: `${ownOnly} Of this plane alone, where several share a store.`,
    scope: "read",
    input: z.object({}),
    output: z.object({ calls: z.array(RunningCall) }),
    http: {
      method: "get",
      path: "/calls/running",
      tag,
      answers: { 200: "All of them." },
      show: (calls: unknown[]) => ({ calls }),
    },
    cli: {
      command: "calls running",
      about: "calls of the running plane that have not ended, oldest first",
      table: {
        rows: "calls",
        none: "No call is running.",
        columns: { at: "SINCE", id: "ID", user: "USER", tool: "TOOL" },
      },
      examples: ["calls running"],
    },
  }),
  operation({
    name: "calls.usage",
    args: [],
    summary: "When each tool was last called, and when the records begin",
    scope: "admin",
    input: z.object({}),
    output: CallUsage,
    http: { method: "get", path: "/calls/usage", tag, answers: { 200: "Tools that were called." } },
    cli: {
      command: "calls usage",
      about: "when each tool was last called",
      table: {
        rows: "tools",
        none: "No call is recorded.",
        columns: { lastAt: "LAST CALLED", name: "TOOL" },
      },
      examples: ["calls usage"],
    },
  }),
  operation({
    name: "calls.series",
    args: ["..."],
    summary: "Recent calls: counts, outcomes and durations",
    description: ownOnly,
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
    http: {
      method: "get",
      path: "/calls/series",
      tag,
      answers: { 200: "Steps of time, oldest first." },
    },
    cli: { missing: "`stats` and the workbench show it" },
    run: (plane, { step, ...query }, asker) =>
      plane.calls.series(
        { ...(query as object), ...(step === undefined ? {} : { stepMinutes: step }) },
        asker,
      ),
  }),
  operation({
    name: "calls.summary",
    args: ["..."],
    summary: "Calls by tool, server and user: counts, failures and durations; and the slowest",
    description: `${ownOnly} Of the newest ${maxSummed} calls at most; \`isWhole\` says whether that was all.`,
    scope: "read",
    input: z.object({
      minutes: count(maxSeriesMinutes, {
        default: 60,
        description: "How far back, where `since` is left out.",
      }),
      ...callFilters,
    }),
    output: CallSummary,
    http: { method: "get", path: "/calls/summary", tag, answers: { 200: "Most called first." } },
    cli: { missing: "`calls list --json` has the calls" },
    socket: { missing: "it is made of `calls.list`" },
    run: (plane, { minutes = 60, ...filter }, asker) =>
      summarizeCalls(
        (part) => plane.calls.list({ ...(filter as object), ...part }, asker),
        filter.since ?? minutes,
      ),
  }),
  operation({
    name: "calls.export",
    args: ["..."],
    summary: "Calls as JSON lines, or as a HAR document for a network request viewer",
    description: `${ownOnly} Newest first, with arguments and results where \`observability.keepPayloads\` is on.`,
    scope: "read",
    input: z.object({
      ...callFilters,
      format: oneOf(exportFormats, "`jsonl` (the default), or `har`.").optional(),
      limit: wholeNumber(1, "Maximum number of calls; all when left out."),
    }),
    output: Har,
    http: {
      method: "get",
      path: "/calls/export",
      tag,
      answers: { 200: "A stream: lines, each a record; or with `format=har` one document." },
      type: exportTypes.har,
      also: [exportTypes.jsonl],
    },
    cli: {
      command: "calls export",
      about:
        "calls as JSON lines or as a HAR document, newest first, to a file or to standard output",
      arguments: { "[file]": "standard output when left out or -" },
      options: {
        "--format <format>": {
          about: "jsonl when left out; har opens in network request viewers",
          choices: ["jsonl", "har"],
        },
        ...callFilterOptions,
        "--limit <number>": { about: "maximum number of calls; all when left out", kind: "count" },
      },
      examples: ["calls export calls.jsonl", "calls export calls.har --format har --status failed"],
    },
    socket: { missing: "it is made of `calls.list`" },
    run: (plane, input, asker) => readExport(plane, input, asker),
  }),
  operation({
    name: "calls.get",
    args: ["id"],
    summary: "One call: its verdict, attempts and timing",
    scope: "read",
    input: z.object({ id: text("The call's id.") }),
    output: ShownRecord,
    http: { method: "get", path: "/calls/{id}", tag, answers: { 200: "What is kept of it." } },
    cli: {
      command: "calls show",
      about: "one call: caller, verdict, attempts and timing; or a whole agent run",
      arguments: { "<id>": "the id, as 'calls list' or 'calls runs' shows it" },
      examples: ["calls show 0mwhdikxj-1a2b3c4d5e6f7g8h"],
    },
    async run(plane, { id }, asker) {
      const [shown] = await withAnswers(plane, [await plane.calls.get(id, asker)], asker);
      return (
        await withPayloads(plane, shown === undefined ? [] : [shown], asker)
      )[0] as AnsweredRecord;
    },
  }),
  operation({
    name: "calls.prove",
    args: ["id"],
    summary: "Prove that a call is under a root",
    description: "Has no other record in it. A root is made where none covers the call yet.",
    scope: "admin",
    input: z.object({ id: text("The call's id.") }),
    output: CallProof,
    http: {
      method: "get",
      path: "/calls/{id}/proof",
      tag,
      answers: { 200: "The record, its root and the path between." },
    },
    cli: {
      command: "calls prove",
      about: "the proof that a call is under a root that an auditor may have kept",
      arguments: { "<id>": "the id, as 'calls list' shows it" },
      examples: ["calls prove 0mwhdikxj-1a2b3c4d5e6f7g8h --json"],
    },
  }),
];

const ShownResult = StoredResult.omit({ owner: true }).meta({ id: "StoredResult" });

/** Results that were too large to be given whole. */
const results = [
  operation({
    name: "results.page",
    args: ["..."],
    summary: "Stored large results, newest first",
    description: ownOnly,
    scope: "read",
    input: z.object(page),
    output: z.object({ results: z.array(ShownResult), nextCursor: NextCursor }),
    http: { method: "get", path: "/results", tag, answers: { 200: "One page." } },
    cli: {
      command: "results list",
      about: "stored results, newest first",
      options: { ...pageOptions },
      examples: ["results list", "results list --json"],
    },
    run: (plane, { limit = defaultPage, ...query }, asker) =>
      plane.results.page({ limit, ...(query as object) }, asker),
  }),
  operation({
    name: "results.get",
    args: ["id", "..."],
    summary: "A part of a large result",
    scope: "read",
    input: z.object({
      id: text("The handle that was returned instead of the result."),
      offset: wholeNumber(
        0,
        "Where to begin: a character, with `lines` a line, with `grep` a match.",
      ),
      limit: wholeNumber(1, "How many, at most 100000 characters, 10000 lines or 1000 matches."),
      path: z.string().optional().meta({
        description:
          "A JSON pointer or names with dots; `$result` leads into the result as it came.",
      }),
      grep: z
        .string()
        .optional()
        .meta({ description: "A pattern (RE2) that is looked for in every line." }),
      lines: flag("Count lines instead of characters."),
    }),
    output: ResultPage,
    http: { method: "get", path: "/results/{id}", tag, answers: { 200: "One page of its text." } },
    cli: {
      command: "results get",
      about: "one stored result, whole or in parts",
      arguments: { "<id>": "the handle that was returned instead of the result" },
      options: {
        "--offset <number>": "where to begin: a character, a line or a match",
        "--limit <number>": "how many of them; everything when left out",
        "--path <path>":
          "only this part of JSON: items.0.name or /items/0/name; '$result' is the unchanged result",
        "--grep <pattern>": "only lines that match, with the lines around them",
        "--lines": "count lines instead of characters",
      },
      examples: [
        "results get r_0123456789abcdef0123",
        "results get r_0123456789abcdef0123 --path items.0",
        "results get r_0123456789abcdef0123 --grep 'ERROR|WARN' --limit 20",
      ],
    },
  }),
];

const events = [
  operation({
    name: "events.page",
    args: ["after", "limit"],
    summary: "A live stream of events",
    description:
      "Server-sent events: those of your own calls and of the servers you may use; everything with the scope `admin`.",
    scope: "read",
    input: z.object({ after: z.string().optional().meta({ description: "The id of an event." }) }),
    output: z.string(),
    http: {
      method: "get",
      path: "/events",
      tag: "Events",
      headers: {
        "Last-Event-ID": "The last event that was read; goes on behind it. The same as `after`.",
      },
      answers: { 200: "A stream that does not end." },
      type: "text/event-stream",
    },
    cli: {
      missing: "commands print the events of their own calls; `activity` lists the last ones",
    },
    socket: { missing: "a question over the socket names the events that it wants to hear" },
  }),
];

export const callOperations = [...calls, ...results, ...events];
