import { plainText } from "../lib/text/plain-text.ts";
import { type RequestId, TransportError } from "./message.ts";

/** A request that its caller gave up, with what was seen of it until then. */
export class GivenUp extends Error {
  override readonly name = "GivenUp";
  /** A sentence for the error of the caller. */
  readonly seen: string;

  constructor(cause: unknown, seen: string) {
    super(seen, { cause });
    this.seen = seen;
  }
}

type Waiting = { id: RequestId; method: string };

/** It waits for ever, and for nothing. */
export const changesMethod = "subscriptions/listen";
/** Requests that a server never makes. */
const ofClients: ReadonlySet<string> = new Set(["initialize", "server/discover", "tools/list"]);
const maxShownId = 40;

/** What an answer to no request is. Null where it comes twice, or too late: our ids count up to `lastId`. */
export function describeStray(id: unknown, lastId: number): string | null {
  if (typeof id === "number" && id >= 1 && id <= lastId) return null;
  if (id === undefined || id === null) return "it answered without an id";
  const shownId = plainText(JSON.stringify(id)).slice(0, maxShownId);
  return `it answered the id ${shownId}, which was not asked`;
}

/** A program such as `cat` writes what it reads, and none of that is an answer. */
export function isEcho(method: string, waiting: Waiting | undefined): boolean {
  return waiting?.method === method && ofClients.has(method);
}

export function echoError(): TransportError {
  const reason = "it sends back what it gets, so it is no MCP server";
  return new TransportError(reason, { sent: true, permanent: true });
}
