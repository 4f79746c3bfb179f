import { setTimeout as pause } from "node:timers/promises";
import { type Answered, type Ask, askThrough, type Door } from "../replicas/ask.ts";
import { nothingTold } from "../replicas/told.ts";

/** The answers that clients got. A call is known by the text that it writes, which no other call has. */
export type Log = ReturnType<typeof createLog>;

export function createLog() {
  return {
    told: nothingTold(),
    answered: new Set<string>(),
    /** Sent, and the connection broke: never sent again. */
    unanswered: new Set<string>(),
    /** Milliseconds until each answer. */
    waits: [] as number[],
    opened: 0,
  };
}

export type SessionOptions = {
  sessions: number;
  /** Each session calls once in so much time. */
  everyMs: number;
  stop: AbortSignal;
  random(): number;
};

const params = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};
const accept = "application/json, text/event-stream";
/** Clients that lost their connection wait a little before they open another. */
const againMs = 500;

/** So many clients, each with a session of its own, until they are stopped. */
export async function runSessions(door: Door, log: Log, options: SessionOptions): Promise<void> {
  const ask = askThrough(door, log.told);
  const all = Array.from({ length: options.sessions }, (_, at) => runClient(ask, log, at, options));
  await Promise.all(all);
}

async function runClient(
  ask: Ask,
  log: Log,
  number: number,
  options: SessionOptions,
): Promise<void> {
  const { everyMs, stop, random } = options;
  const wait = (ms: number) => pause(ms, undefined, { signal: stop }).catch(() => undefined);
  // Not all at once, neither the first time nor later.
  await wait(random() * everyMs);
  let session: string | null = null;
  for (let at = 0; !stop.aborted; ) {
    session ??= await open(ask, log);
    if (session === null) {
      await wait(againMs);
      continue;
    }
    const begun = performance.now();
    if ((await call(ask, log, session, `call ${number}.${at}`)) === "no session") session = null;
    else at += 1;
    await wait(Math.max(0, 2 * random() * everyMs - (performance.now() - begun)));
  }
}

async function open(ask: Ask, log: Log): Promise<string | null> {
  const begun = await ask(
    "/mcp",
    { jsonrpc: "2.0", id: 0, method: "initialize", params },
    { accept },
  );
  const session = begun?.headers.get("mcp-session-id") ?? null;
  if (begun && session === null) log.told.unexplained.push(begun.failure("session"));
  if (session !== null) log.opened += 1;
  return session;
}

async function call(
  ask: Ask,
  log: Log,
  session: string,
  text: string,
): Promise<"no session" | undefined> {
  const begun = performance.now();
  const message = {
    jsonrpc: "2.0",
    id: text,
    method: "tools/call",
    params: { name: "echo__write_note", arguments: { text } },
  };
  const answer = await ask("/mcp", message, { accept, "mcp-session-id": session });
  if (answer === null) {
    log.unanswered.add(text);
    return;
  }
  if (answer.status === 404) return "no session";
  if (isDone(answer, text)) log.answered.add(text);
  else log.told.unexplained.push(answer.failure(text));
  log.waits.push(performance.now() - begun);
}

function isDone({ status, body }: Answered, text: string): boolean {
  const result = body.result as { isError?: boolean; content?: { text?: string }[] } | undefined;
  return (
    status === 200 && result?.isError !== true && result?.content?.[0]?.text === `noted ${text}`
  );
}
