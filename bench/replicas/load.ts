import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Answered, type Ask, askThrough, type Door } from "./ask.ts";
import type { Told } from "./told.ts";

type Kind = (ask: Ask, told: Told, stop: AbortSignal) => Promise<void>;

/** Plans of people are short, and jobs are not begun without a pause. */
const pauseMs = 200;

/** Clients that do everything there is to do: call over HTTP and in sessions, approve, queue, begin jobs. */
export const everything: readonly Kind[] = [
  callOnce,
  beginJob,
  callInSession,
  callOnce,
  approve,
  callOnce,
  callInSession,
  queue,
];
/** Clients that call a tool which takes its time. */
export const onlyWaiting: readonly Kind[] = [callSlow];

export type LoadOptions = { clients: number; kinds?: readonly Kind[]; stop: AbortSignal };

/** So many clients, which go on until they are stopped. */
export async function runClients(door: Door, told: Told, options: LoadOptions): Promise<void> {
  const { clients, kinds = everything, stop } = options;
  const ask = askThrough(door, told);
  await Promise.all(
    Array.from({ length: clients }, async (_, at) => {
      const kind = kinds[at % kinds.length] as Kind;
      while (!stop.aborted) await kind(ask, told, stop);
    }),
  );
}

function isExpected(told: Told, what: string, answer: Answered, ...allowed: number[]): boolean {
  if (allowed.includes(answer.status)) return true;
  told.unexplained.push(answer.failure(what));
  return false;
}

export async function callOnce(ask: Ask, told: Told): Promise<void> {
  const answer = await ask("/tools/echo.echo/call", { arguments: { message: "hi" } });
  if (answer && isExpected(told, "call", answer, 200))
    told.calls.add((answer.body.call as { id: string }).id);
}

async function callSlow(ask: Ask, told: Told): Promise<void> {
  const answer = await ask("/tools/echo.slow/call", { arguments: { ms: 100 } });
  if (answer && isExpected(told, "call", answer, 200))
    told.calls.add((answer.body.call as { id: string }).id);
}

async function approve(ask: Ask, told: Told): Promise<void> {
  const text = `approved ${randomUUID()}`;
  const asked = await ask("/tools/echo.put_note/call", { arguments: { key: "k", text } });
  if (!asked || !isExpected(told, "question", asked, 202)) return;
  const { id } = asked.body.approval as { id: string };
  told.approvals.set(id, text);
  const answer = await ask(`/approvals/${id}`, { decision: "approve" });
  // After a lost answer the retry gets a conflict.
  if (!answer || !isExpected(told, "approval", answer, 200, 409)) return;
  told.answered.add(id);
  if ((answer.body.outcome as { ok?: boolean } | undefined)?.ok === true) told.done.add(id);
}

async function queue(ask: Ask, told: Told): Promise<void> {
  const body = { arguments: { key: "k", text: "queued" }, mode: "plan" };
  const answer = await ask("/tools/echo.put_note/call", body);
  if (!answer || !isExpected(told, "change", answer, 202)) return;
  const { approvalId } = (answer.body.error as { data: { approvalId: string } }).data;
  told.changes.add(approvalId);
  await pause(pauseMs);
}

async function beginJob(ask: Ask, told: Told): Promise<void> {
  const mark = `run ${randomUUID()}`;
  const answer = await ask("/jobs/signing/run", { input: { mark } });
  if (answer && isExpected(told, "job", answer, 200, 202))
    told.runs.set((answer.body.run as { id: string }).id, mark);
  await pause(pauseMs);
}

/** One session, for as long as there is one, wherever its requests go. */
async function callInSession(ask: Ask, told: Told, stop: AbortSignal): Promise<void> {
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  const accept = "application/json, text/event-stream";
  const begun = await ask(
    "/mcp",
    { jsonrpc: "2.0", id: 0, method: "initialize", params },
    { accept },
  );
  const session = begun?.headers.get("mcp-session-id");
  if (!begun || !session || !isExpected(told, "session", begun, 200)) return;
  told.sessions += 1;
  const headers = { accept, "mcp-session-id": session };
  const call = { name: "echo__echo", arguments: { message: "hi" } };
  for (let id = 1; !stop.aborted; id += 1) {
    const answer = await ask(
      "/mcp",
      { jsonrpc: "2.0", id, method: "tools/call", params: call },
      headers,
    );
    if (!answer) continue;
    const isAnswered = isExpected(told, "call in a session", answer, 200);
    // The session is lost.
    if (answer.status === 404) return;
    if (!isAnswered) continue;
    if (answer.body.error) told.unexplained.push(answer.failure("call in a session"));
    // A plane without its store refuses with a result that a model can read.
    else if (!(answer.body.result as { isError?: boolean } | undefined)?.isError)
      told.mcpCalls += 1;
  }
}
