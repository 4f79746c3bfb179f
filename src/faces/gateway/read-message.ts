import type { IncomingMessage } from "node:http";
import { bodyLimitBytes } from "./limits.ts";
import { type Parsed, parseMessage } from "./parse-message.ts";

/** Why a body is not taken, and the status that says so. */
export type Refused = { status: 400 | 413 | 415; code: number; message: string };

const tooLarge: Refused = {
  status: 413,
  code: -32600,
  message: `The body is larger than ${bodyLimitBytes / 1024 / 1024} MiB.`,
};

type Wrong = Extract<Parsed, { wrong: string }>["wrong"];

const refusals: Record<Wrong, Refused> = {
  "no JSON": { status: 400, code: -32700, message: "Parse error: the body is not valid JSON." },
  "too deep": { status: 400, code: -32600, message: "The body is nested too deeply." },
};

/** The message in the body of a request. */
export function readMessage(
  request: IncomingMessage,
  done: (message: unknown, refused: Refused | null) => void,
): void {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    const message = "The body must be JSON: send 'Content-Type: application/json'.";
    return done(null, { status: 415, code: -32600, message });
  }
  // What it announces need not arrive first.
  if (Number(request.headers["content-length"]) > bodyLimitBytes) return done(null, tooLarge);
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= bodyLimitBytes) return void chunks.push(chunk);
    request.removeAllListeners("data").removeAllListeners("end");
    done(null, tooLarge);
  });
  request.on("end", () => parse(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), done));
}

function parse(body: Buffer, done: (message: unknown, refused: Refused | null) => void): void {
  const parsed = parseMessage(body.toString("utf8"));
  if ("message" in parsed) return done(parsed.message, null);
  done(null, refusals[parsed.wrong]);
}
