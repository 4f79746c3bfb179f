import type { z } from "zod";
import { rounded } from "../../lib/text/wording.ts";
import { version } from "../../lib/version.ts";
import { type ErrorCode, errorTable } from "../../model/errors.ts";
import type { ShownRecord } from "./outcome.ts";

export const exportFormats = ["jsonl", "har"] as const;
export type ExportFormat = (typeof exportFormats)[number];
export const exportTypes: Record<ExportFormat, string> = {
  jsonl: "application/jsonl",
  har: "application/json",
};

type Exported = z.infer<typeof ShownRecord>;
type Read = (part: { limit: number; before?: string }) => Promise<readonly Exported[]>;
export type ExportedText = { format: ExportFormat; text: AsyncIterable<string> };

/** So many are in memory at once. */
const pageSize = 500;
/** Pages are put together until there is so much to send. */
const pieceLength = 64 * 1024;

/** Calls as text, newest first, a page at a time. The first page is read at once, so that a refusal comes before any text. */
export async function renderExport(
  read: Read,
  format: ExportFormat,
  maxRecords = Number.POSITIVE_INFINITY,
): Promise<ExportedText> {
  const first = await read({ limit: Math.min(pageSize, maxRecords) });
  async function* records() {
    let page = first;
    for (let remaining = maxRecords; page.length > 0; ) {
      yield* page;
      remaining -= page.length;
      const before = page.at(-1)?.id;
      if (before === undefined || page.length < pageSize || remaining <= 0) return;
      page = await read({ limit: Math.min(pageSize, remaining), before });
    }
  }
  return { format, text: inPieces(format === "har" ? harText(records()) : jsonLines(records())) };
}

async function* jsonLines(records: AsyncIterable<Exported>) {
  for await (const call of records) yield `${JSON.stringify(call)}\n`;
}

/** One document: a HAR viewer shows each call as a request. */
async function* harText(records: AsyncIterable<Exported>) {
  const creator = { name: "Toolplane", version };
  yield `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[`;
  let separator = "\n";
  for await (const call of records) {
    yield separator + JSON.stringify(harEntry(call));
    separator = ",\n";
  }
  yield "\n]}}\n";
}

async function* inPieces(texts: AsyncIterable<string>) {
  let piece = "";
  for await (const text of texts) {
    piece += text;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** What HAR has no field for begins with `_`, as its specification says. */
function harEntry(call: Exported) {
  const {
    id,
    at: startedAt,
    tool,
    server,
    face,
    principal,
    status,
    error,
    payload,
    stages,
    attempts,
  } = call;
  const timings = timingsOf(call);
  return {
    startedDateTime: startedAt,
    time: rounded(timings.blocked + timings.wait + timings.receive),
    request: requestOf(call),
    response: responseOf(call),
    cache: {},
    timings,
    ...(call.conversation !== undefined && { connection: call.conversation }),
    comment: `${tool}: ${status}`,
    _callId: id,
    _tool: tool,
    _server: server,
    _user: principal.user,
    _face: face,
    _status: status,
    ...(call.run !== undefined && { _runId: call.run }),
    ...(call.conversation !== undefined && { _conversation: call.conversation }),
    _argumentNames: call.argumentNames,
    _payload: payloadState(payload),
    _verdict: call.approval,
    _stages: stages,
    _attempts: attempts,
    _error: error,
  };
}

function payloadState(payload: Exported["payload"]): string {
  if (payload === undefined) return "not kept";
  return payload === null ? "not kept any more" : "kept";
}

const empty = { httpVersion: "MCP", cookies: [], headers: [], headersSize: -1 };

function requestOf({ tool, server, payload }: Exported) {
  const params = { name: tool, ...(payload && { arguments: payload.arguments }) };
  const text = JSON.stringify({ method: "tools/call", params });
  const url = `mcp://${encodeURIComponent(server ?? "toolplane")}/${encodeURIComponent(tool)}`;
  const postData = { mimeType: "application/json", text };
  return { method: "POST", url, ...empty, queryString: [], bodySize: sizeOf(text), postData };
}

function responseOf({ status, error, payload }: Exported) {
  const body =
    payload?.result ?? (error && { error: { code: error.code, message: error.message } });
  const text = body ? JSON.stringify(body) : "";
  const size = sizeOf(text);
  return {
    status: error === null ? 200 : (errorTable[error.code as ErrorCode]?.http ?? 500),
    statusText: status,
    ...empty,
    content: { size, mimeType: "application/json", ...(text !== "" && { text }) },
    redirectURL: "",
    bodySize: size,
  };
}

/** All before the provider is asked is `blocked`; `receive` is what follows it. */
function timingsOf({ stages, durationMs }: Exported) {
  const ms = (isMeant: (stage: string) => boolean) =>
    stages.reduce((sum, one) => (isMeant(one.stage) ? sum + one.ms : sum), 0);
  const [blocked, wait] = [
    ms((stage) => stage !== "execute"),
    ms((stage) => stage === "execute"),
  ].map(rounded) as [number, number];
  return {
    blocked,
    dns: -1,
    connect: -1,
    send: 0,
    wait,
    receive: rounded(Math.max(0, durationMs - blocked - wait)),
  };
}

const sizeOf = (text: string) => Buffer.byteLength(text);
