import type { ServerResponse } from "node:http";
import { errorTable, toPlaneError } from "../../model/errors.ts";
import { sendJson } from "./event-stream.ts";
import { renderFailure } from "./failures.ts";
import { failure, renderAnswer } from "./visit.ts";
import { wireText } from "./wire.ts";

/** What is wrong with a request, and the status that says so. */
export type Refusal = { status: number; code: number; message: string };

export function badRequest(message: string): Refusal {
  return { status: 400, code: -32600, message };
}

export function refuse(
  response: ServerResponse,
  { status, code, message }: Refusal,
  headers: Record<string, string> = {},
): void {
  sendJson(response, status, renderAnswer(null, failure(code, message)), headers);
}

/** Whoever sends more than this has only themselves to thank for a connection that breaks. */
const discardedBytes = 32 * 1024 * 1024;

/** A client that is still sending reads the answer only when somebody takes what it sends. */
export function refuseUnread(response: ServerResponse, refusal: Refusal): void {
  const text = wireText(renderAnswer(null, failure(refusal.code, refusal.message)));
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  response.writeHead(refusal.status, { ...headers, connection: "close" }).write(text);
  let discarded = 0;
  const end = () => void response.end();
  response.req.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > discardedBytes) end();
  });
  response.req.once("end", end).once("error", end);
}

export function notAllowed(response: ServerResponse, allow: string): void {
  refuse(response, { status: 405, code: -32600, message: "Method not allowed." }, { allow });
}

/** What a defect of ours or a wrong address looks like from outside. */
export function guarded(response: ServerResponse, run: () => void): void {
  try {
    run();
  } catch (thrown) {
    refuseThrown(response, thrown);
  }
}

/** The same for what is known later. */
export async function settled<T>(
  response: ServerResponse,
  waited: Promise<T>,
  run: (value: T) => void,
): Promise<void> {
  try {
    run(await waited);
  } catch (thrown) {
    refuseThrown(response, thrown);
  }
}

function refuseThrown(response: ServerResponse, thrown: unknown): void {
  const { http } = errorTable[toPlaneError(thrown).code];
  sendJson(response, http, renderAnswer(null, renderFailure(thrown)));
}
