import type { ServerResponse } from "node:http";
import { errorTable, toPlaneError } from "../../model/errors.ts";
import { sendJson } from "./event-stream.ts";
import { failure, renderAnswer } from "./visit.ts";

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

/** A client that is still sending reads the answer only when somebody takes what it sends. */
export function refuseUnread(response: ServerResponse, refusal: Refusal): void {
  refuse(response, refusal, { connection: "close" });
  response.req.resume();
}

export function notAllowed(response: ServerResponse, allow: string): void {
  refuse(response, { status: 405, code: -32600, message: "Method not allowed." }, { allow });
}

/** What a defect of ours or a wrong address looks like from outside. */
export function guarded(response: ServerResponse, run: () => void): void {
  try {
    run();
  } catch (thrown) {
    const { code, message } = toPlaneError(thrown);
    const { http, rpc, means } = errorTable[code];
    refuse(response, { status: http, code: rpc, message: http >= 500 ? means : message });
  }
}
