import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { agentOutcomes } from "../../../model/agent/agent-run.ts";
import type { RunSummary } from "../../../model/agent/run-schema.ts";
import {
  type CallFilterName,
  callFilterNames,
  type VerifyOptions,
} from "../../../model/calls/call-history.ts";
import type {
  ActivityEntry,
  CallChain,
  CallRecord,
  CallStatus,
} from "../../../model/calls/call-schema.ts";
import { type Artifact, readArtifacts, type ToolResult } from "../../../model/calls/result.ts";
import type { ResultPage } from "../../../model/calls/result-schema.ts";
import { pageLimits, type ResultQuery } from "../../../model/calls/stored-result.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { type QueueView, queueView } from "../../../model/work/dead-letter.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import {
  colors,
  type Fact,
  joinLines,
  print,
  printJson,
  printPage,
  printStatus,
  renderFacts,
  renderMoment,
  renderTable,
  show,
  table,
} from "../terminal/output.ts";
import { command, withPlane } from "../with-plane.ts";
import { pickOptions, toChoice, toCount, toLimit } from "./option-values.ts";
import { writeStream } from "./state.ts";

const barWidth = 30;

export function renderCalls(calls: readonly CallRecord[]): string {
  return table(calls, "No call is recorded.", {
    WHEN: (record) => renderMoment(record.at),
    ID: ({ id }) => id,
    STATUS: ({ status }) => status,
    MS: ({ durationMs }) => Math.round(durationMs),
    USER: ({ principal }) => principal.user,
    FACE: ({ face }) => face,
    TOOL: ({ tool }) => tool,
  });
}

export function renderCall(call: CallRecord, queued?: QueueView | null): string {
  const facts: Fact[] = [
    ["status", `${call.status}, ${milliseconds(call.durationMs)}${renderOrigin(call)}`],
    ["at", call.at],
    ["queue", queued === undefined ? null : renderQueue(queued)],
    ["called by", `${call.principal.user ?? "anonymous"} via ${call.face}`],
    ["server", call.server],
    ["run", call.run && `${call.run} (toolplane calls show ${call.run})`],
    ["in", call.conversation && `conversation ${plainText(call.conversation)}`],
    ["verdict", verdictOf(call)],
    ["arguments", argumentsOf(call)],
    ["their hash", call.argumentsHash],
    ["result hash", call.resultHash],
    ["kept as", call.stored && `${call.stored} (toolplane results get ${call.stored})`],
    ["cost", call.cost && `${call.cost.amount} ${call.cost.unit}`],
  ];
  return joinLines(
    `${colors.bold(plainText(call.tool))} ${colors.dim(call.id)}`,
    call.error && `${plainText(call.error.message)} ${colors.dim(`[${call.error.code}]`)}`,
    "",
    renderFacts(11, facts),
    "",
    colors.bold("Stages"),
    renderBars(call.stages),
    call.attempts.length > 0 && ["", colors.bold("Attempts"), ...call.attempts.map(renderAttempt)],
  );
}

function renderQueue(queued: QueueView | null): string {
  if (queued === null) return "deleted: nothing runs it";
  const { status, waitsFor, nextRetryAt, resolvedCallId } = queued;
  if (resolvedCallId !== null) return `it ran as ${resolvedCallId}`;
  if (waitsFor === "person") return `${status}: a person decides (toolplane dead-letters show)`;
  if (nextRetryAt === null) return status;
  return `${status}, next try at ${nextRetryAt}`;
}

function renderOrigin({ cached, coalesced, replayed, collected }: CallRecord): string {
  if (collected) return `, the outcome of call ${collected.call}`;
  if (replayed) return ", replayed from a recording";
  if (cached) return ", from the cache";
  return coalesced ? ", shared with an equal call" : "";
}

/** Each stage as long as its share of the longest one. */
export function renderBars(stages: CallRecord["stages"]): string[] {
  const longest = Math.max(...stages.map(({ ms }) => ms), 0);
  const names = Math.max(...stages.map(({ stage }) => stage.length), 0);
  return stages.map(({ stage, ms }) => {
    const bar = longest === 0 ? "" : "█".repeat(Math.round((ms / longest) * barWidth));
    return `${stage.padEnd(names)}  ${(bar === "" ? "▏" : bar).padEnd(barWidth)}  ${milliseconds(ms)}`;
  });
}

export function renderChain(chain: CallChain, what = "call"): string {
  const { calls, checkpoints, head, broken, headFound, lost } = chain;
  const removed = checkpoints.reduce((sum, checkpoint) => sum + checkpoint.removed, 0);
  return joinLines(
    broken
      ? `The record is broken at ${what} '${plainText(broken.id)}' of ${plainText(broken.at)}: ${broken.reason}. What comes after it proves nothing.`
      : `${countOf(calls, what)} recorded; none was changed or removed in between.`,
    lost.map(
      ({ after, until }) =>
        `The ${what}s${after === null ? "" : ` after ${after}`} up to ${until} were stored and are gone: the store was damaged, or replaced by an older one.`,
    ),
    removed > 0 &&
      `${countOf(removed, `older ${what}`)} removed because of their age ('calls.keepDays').`,
    headFound === false &&
      "The hash you gave is not in the record: its end was removed or rewritten.",
    headFound === true && "The hash you gave is in the record.",
    head !== null &&
      !broken &&
      `Head: ${head}. Keep it elsewhere to prove later that nothing was rewritten.`,
  );
}

function verdictOf({ approval }: CallRecord): string | null {
  return approval && `${approval.verdict} (${approval.origin}): ${approval.reason}`;
}

function argumentsOf({ argumentNames, injected }: CallRecord): string | null {
  const names = [...argumentNames, ...injected.map((name) => `${name} (injected)`)];
  return names.join(", ") || null;
}

function renderAttempt({
  provider,
  ok,
  durationMs,
  error,
  sent,
}: CallRecord["attempts"][number]): string {
  const attemptOutcome = ok ? "answered" : `${error}${sent === false ? ", never sent" : ""}`;
  return plainText(`${provider}  ${attemptOutcome}  ${milliseconds(durationMs)}`);
}

function milliseconds(ms: number): string {
  return `${ms >= 100 ? Math.round(ms) : Math.round(ms * 100) / 100} ms`;
}

const defaultPage = 50;
const statuses: CallStatus[] = [
  "succeeded",
  "tool_error",
  "failed",
  "refused",
  "waiting",
  "cancelled",
  "dry_run",
];

type FilterOptions = Omit<TextOptions<CallFilterName>, "minMs" | "maxMs" | "minCost"> & {
  minMs?: number;
  maxMs?: number;
  minCost?: number;
};

export const listCalls = command(
  async (
    plane,
    options: FilterOptions & TextOptions<"limit" | "cursor"> & { payloads?: boolean },
  ) => {
    const limit = toLimit(options.limit) ?? defaultPage;
    const status = toChoice("--status", options.status, statuses);
    const filter = withoutUndefined({
      ...pickOptions(options, ...callFilterNames),
      status,
      before: options.cursor,
    });
    // One more than is shown tells whether there are more.
    const fetched = await plane.calls.list({ ...filter, limit: limit + 1 });
    const listed = fetched.slice(0, limit);
    const lastListed = fetched.length > limit ? listed.at(-1) : undefined;
    const calls = options.payloads ? await withPayloads(plane, listed) : listed;
    return { calls, nextCursor: lastListed?.id ?? null };
  },
  ({ calls, nextCursor }) => printPage(renderCalls(calls), nextCursor),
);

async function withPayloads(plane: Plane, calls: readonly CallRecord[]) {
  const stored = await plane.calls.payloads(calls.map(({ id }) => id));
  if (stored === null) return calls;
  const payloads = new Map(stored.map(({ id, ...payload }) => [id, payload]));
  return calls.map((call) => ({ ...call, payload: payloads.get(call.id) ?? null }));
}

type ExportOptions = GlobalOptions & FilterOptions & { format?: "jsonl" | "har"; limit?: number };

export async function exportCalls(
  cli: Cli,
  path: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const file = path === "-" ? undefined : path;
  const status = toChoice("--status", options.status, statuses);
  const query = withoutUndefined({
    ...pickOptions(options, ...callFilterNames, "format", "limit"),
    status,
  });
  await withPlane(cli, options, async (plane) => {
    const { text } = await (await import("../../../operations/declared/calls.ts")).readExport(
      plane,
      query,
      {},
    );
    await writeStream(file, text);
  });
  if (file !== undefined && options.json) printJson({ path: file });
  else if (file !== undefined) printStatus(`Written to ${file}.`);
}

/** One call, or one run of an agent: their ids look alike. */
export async function showCall(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  await withPlane(cli, options, async (plane) => {
    const call = await plane.calls.get(id).catch(nullIfUnknown);
    if (call === null) await showRun(plane, id, options);
    else {
      const queued = await queueOf(plane, call);
      if (options.json) printJson({ call: { ...call, ...withoutUndefined({ queued }) } });
      else print(renderCall(call, queued));
    }
  }).catch((thrown) => {
    nullIfUnknown(thrown);
    throw new PlaneError(
      "NOT_FOUND",
      `No call or run '${id}' found. List them: toolplane calls list, toolplane calls runs`,
    );
  });
}

/** Of a call that was accepted; null where it was deleted. */
async function queueOf(
  plane: Plane,
  { id, error }: CallRecord,
): Promise<QueueView | null | undefined> {
  if (error?.code !== "CALL_QUEUED") return undefined;
  const letter = await plane.deadLetters.get(id).catch(nullIfUnknown);
  return letter && queueView(letter);
}

function nullIfUnknown(thrown: unknown): null {
  if (thrown instanceof PlaneError && thrown.code === "NOT_FOUND") return null;
  throw thrown;
}

export async function proveCall(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  const proof = await withPlane(cli, options, (plane) => plane.calls.prove(id));
  const { root, chain, path } = proof;
  show(options, proof, () =>
    [
      `Call '${plainText(id)}' is in the chain ${chain}, ${countOf(path.length, "step")} below root ${root.number} of ${root.at}.`,
      `Root: ${root.hash}${root.signature === undefined ? "" : `, signed by ${root.key}`}.`,
      "With --json you get the proof, for everyone who kept that root.",
    ].join("\n"),
  );
}

export async function verifyCalls(
  cli: Cli,
  options: GlobalOptions & VerifyOptions,
): Promise<number> {
  const chain = await withPlane(cli, options, (plane) => plane.calls.verify(toVerify(options)));
  show(options, chain, () => renderChain(chain));
  return chain.ok ? 0 : 1;
}

export function toVerify({ head, since, until, keepDays }: VerifyOptions): VerifyOptions {
  return withoutUndefined({ head, since, until, keepDays });
}

type RunListOptions = TextOptions<
  "outcome" | "model" | "toolset" | "conversation" | "since" | "limit" | "cursor"
>;

export const listRuns = command(
  (plane, options: RunListOptions) =>
    plane.runs.page({
      ...pickOptions(options, "model", "toolset", "conversation", "since", "user", "cursor"),
      ...withoutUndefined({
        outcome: toChoice("--outcome", options.outcome, agentOutcomes),
        limit: toLimit(options.limit),
      }),
    }),
  ({ runs, nextCursor }) => printPage(renderRuns(runs), nextCursor),
);

async function showRun(plane: Plane, id: string, { json }: GlobalOptions): Promise<void> {
  if (json) printJson({ run: await plane.runs.get(id) });
  else print((await plane.runs.render(id, "text")).text);
}

function renderRuns(runs: readonly RunSummary[]): string {
  return table(runs, "No run of an agent is kept.", {
    WHEN: (record) => renderMoment(record.at),
    ID: ({ id }) => id,
    OUTCOME: ({ outcome }) => outcome,
    SECONDS: ({ durationMs }) => (durationMs / 1_000).toFixed(1),
    TURNS: ({ turns }) => turns,
    CALLS: ({ counters }) => counters.totalToolCalls,
    TOKENS: ({ usage }) => usage.totalTokens,
    USER: ({ user }) => user,
    MODEL: ({ model }) => model,
    QUESTION: ({ question }) => question,
  });
}

const pollMs = 500;

export async function showActivity(
  cli: Cli,
  options: GlobalOptions & { follow?: boolean },
): Promise<void> {
  await withPlane(cli, options, async (plane, interrupted) => {
    const entries = await plane.calls.activity({ face: "cli" });
    if (options.json) return printJson({ activity: entries });
    if (!plane.isRemote)
      printStatus(
        "Only a plane that runs remembers its last calls: start one with 'toolplane serve'.",
      );
    if (entries.length === 0 && !options.follow) return print("No calls yet.");
    print(renderActivity(entries.toReversed()));
    if (options.follow && plane.isRemote) await follow(plane, entries, interrupted);
  });
}

/** Polled: the memory of another process sends no events. */
async function follow(
  plane: Plane,
  shown: readonly ActivityEntry[],
  interrupted: AbortSignal,
): Promise<void> {
  let printedIds = new Set(shown.map(({ id }) => id));
  while (!interrupted.aborted) {
    await pause(pollMs, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return;
    const entries = await plane.calls.activity({ face: "cli" });
    const fresh = entries.filter(({ id }) => !printedIds.has(id)).reverse();
    if (fresh.length > 0) print(renderActivity(fresh).split("\n").slice(1).join("\n"));
    printedIds = new Set(entries.map(({ id }) => id));
  }
}

function renderActivity(entries: readonly ActivityEntry[]): string {
  return renderTable(
    ["WHEN", "TOOL", "USER", "STATUS", "MS", "ARGUMENTS → RESULT"],
    entries.map(({ at, tool, user, status, durationMs, arguments: args, result, code }) => [
      at.slice(11, 19),
      tool,
      user ?? "-",
      status,
      String(Math.round(durationMs)),
      `${args} → ${result ?? code ?? "-"}`,
    ]),
  );
}

type GetOptions = TextOptions<"offset" | "limit" | "path" | "grep"> & { lines?: boolean };

export const getResult = command(
  (plane, id: string, { offset, limit, ...options }: GetOptions) => {
    const range = withoutUndefined({
      offset: toCount("--offset", offset),
      limit: toCount("--limit", limit),
    });
    const query = { ...range, ...pickOptions(options, "path", "grep", "lines") };
    if (limit === undefined) return readAll(plane, id, query);
    return plane.results.get(id, query);
  },
  ({ text, unit, offset, nextOffset, total }) => {
    print(plainText(text));
    if (nextOffset !== null)
      printStatus(
        `${unit} ${offset} to ${nextOffset} of ${total}; the next ones with --offset ${nextOffset}`,
      );
  },
);

export const listResults = command(
  (plane, { limit, cursor }: TextOptions<"limit" | "cursor">) =>
    plane.results.page(withoutUndefined({ limit: toCount("--limit", limit), cursor })),
  ({ results, nextCursor }) => {
    const rows = table(results, "No large result is kept.", {
      ID: ({ id }) => id,
      SINCE: (stored) => renderMoment(stored.at).slice(0, 16),
      UNTIL: ({ expiresAt }) => renderMoment(expiresAt).slice(0, 16),
      CHARACTERS: ({ characters }) => characters,
      USER: ({ user }) => user,
      TOOL: ({ tool }) => tool,
    });
    printPage(rows, nextCursor);
  },
  ({ results, nextCursor }) => ({ results, nextCursor }),
);

/** Without a limit, all of it, in as many pages as it takes. */
async function readAll(plane: Plane, id: string, query: ResultQuery): Promise<ResultPage> {
  const textUnit = query.lines ? "lines" : "characters";
  const unit = query.grep === undefined ? textUnit : "matches";
  const limit = pageLimits[unit].most;
  const firstPage = await plane.results.get(id, { ...query, limit });
  const texts = [firstPage.text];
  for (let offset = firstPage.nextOffset; offset !== null; ) {
    const page = await plane.results.get(id, { ...query, limit, offset });
    texts.push(page.text);
    offset = page.nextOffset;
  }
  return { ...firstPage, text: texts.join(unit === "characters" ? "" : "\n"), nextOffset: null };
}

type SavedArtifact = { name: string; path: string; bytes: number };

const maxName = 120;

/** Writes what came with a result into a directory: all of it, or nothing where something is in the way. */
export async function saveArtifacts(
  result: ToolResult | undefined,
  directory: string,
  { force }: { force: boolean },
): Promise<{ saved: SavedArtifact[]; problems: string[] }> {
  const { artifacts = [], problems = [] } = (result && readArtifacts(result)) ?? {};
  const places = namePlaces(artifacts).map((file, index) => ({
    artifact: artifacts[index] as Artifact,
    path: join(directory, file),
  }));
  const inTheWay = force ? [] : places.filter(({ path }) => existsSync(path));
  if (inTheWay.length > 0)
    throw new PlaneError(
      "USAGE",
      `The call ran, but nothing was saved: ${inTheWay.map(({ path }) => `'${path}'`).join(", ")} is there already. Name another directory, or add --force.`,
    );
  if (places.length > 0) await mkdir(directory, { recursive: true });
  for (const { artifact, path } of places) {
    // Taken away first: a link that stands there must not lead elsewhere.
    if (force) await rm(path, { force: true });
    await writeFile(path, artifact.content, { flag: "wx" });
  }
  return {
    saved: places.map(({ artifact, path }) => ({
      name: artifact.name,
      path,
      bytes: artifact.bytes,
    })),
    problems,
  };
}

/** A name for each that is safe and unique. */
function namePlaces(artifacts: readonly Artifact[]): string[] {
  const usedNames = new Set<string>();
  return artifacts.map(({ name }, index) => {
    const safe = safeName(name) || `artifact-${index + 1}`;
    let unusedName = safe;
    for (let number = 2; usedNames.has(unusedName.toLowerCase()); number += 1)
      unusedName = `${number}-${safe}`;
    usedNames.add(unusedName.toLowerCase());
    return unusedName;
  });
}

/** The last part of what may be a path, without what has a meaning to a shell, a terminal or a file system. */
export function safeName(name: string): string {
  const fileName = plainText(name).split(/[\\/]/).at(-1) ?? "";
  const cleaned = fileName
    .replaceAll(/[<>:"|?*\s]+/g, "_")
    .replace(/^[.-]+/, "")
    .replace(/(?<!\.)\.+$/, "");
  const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(cleaned);
  return (reserved ? `_${cleaned}` : cleaned).slice(-maxName);
}
