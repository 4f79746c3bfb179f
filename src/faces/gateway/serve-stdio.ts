import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { isWithin } from "../../lib/async/pause.ts";
import { uniqueId } from "../../lib/ids-and-time.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { createShortLivedMap } from "../../lib/short-lived-map.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { StoredSession } from "../../model/servers/client-sessions.ts";
import { isExtensionNotification } from "../../protocol/extensions.ts";
import { createLineSplitter } from "../../protocol/line-splitter.ts";
import { batchVersion } from "../../protocol/session.ts";
import { ClientSession } from "./client-session.ts";
import { hasVersion } from "./envelope.ts";
import type { Arrival } from "./exchange.ts";
import { createGatewayContext } from "./modern.ts";
import {
  failure,
  faultIn,
  type Id,
  isId,
  objectParam,
  parseRequest,
  renderAnswer,
} from "./request.ts";
import type { SessionKeeper } from "./session-state.ts";
import { plainView, type View } from "./view.ts";
import type { Wire } from "./wire.ts";

/** How long the answers of calls that are ended may take. */
const answerWaitMs = 2_000;
const maxMessageBytes = 64 * 1024 * 1024;

/** A session that can continue on another plane. */
type MovableSession = {
  id: string;
  /** What an earlier plane kept of the session. */
  stored?: StoredSession;
  store(session: StoredSession): void;
  /** Does it continue on another plane? */
  goesOnElsewhere(): boolean;
  /** Called once, before the first message. */
  ready(): void;
};

type StdioOptions = {
  input: Readable;
  output: Writable;
  signal: AbortSignal;
  view?: Partial<View>;
  /** Missing where the plane has one user. */
  principal?: Principal;
  session?: MovableSession;
};

/** One message per line, until the input ends. */
export async function serveStdio(plane: Plane, options: StdioOptions): Promise<void> {
  const { input, output, signal, session } = options;
  const { write, flush } = createLineWriter(output);
  const refuse = (code: number, message: string) =>
    write(renderAnswer(null, failure(code, message)));
  const parseError = () => refuse(-32700, "Parse error");
  const client = createStdioClient(plane, write, options);
  const takeLine = (line: string) => {
    if (line.trim() === "") return;
    const parsed = parseRequest(line);
    if ("message" in parsed) client.take(parsed.message);
    else if (parsed.wrong === null) parseError();
    else refuse(-32600, `The message cannot be read: ${parsed.wrong}.`);
  };
  input.on("data", createLineSplitter(maxMessageBytes, takeLine, parseError));
  session?.ready();
  try {
    await once(input, "end", { signal });
  } catch {
    // Interrupted. The only client of a plane is answered before that ends; one that has left is not.
    if (session === undefined) await isWithin(plane.endCalls(), answerWaitMs);
  } finally {
    // An input that is read keeps the process alive.
    input.pause();
    await client.close(session?.goesOnElsewhere());
    flush();
  }
}

/**
 * Writing costs most: the first line of a turn leaves at once, the others together. The official client forgets progress
 * that comes in one piece with its answer.
 */
function createLineWriter(output: Writable) {
  let buffered: string | undefined;
  const flush = () => {
    const text = buffered;
    buffered = undefined;
    if (text) output.write(text);
  };
  return {
    flush,
    write(wire: Wire): void {
      if (typeof wire !== "string") {
        if (buffered) output.write(buffered);
        if (buffered !== undefined) buffered = "";
        output.cork();
        for (const part of wire) output.write(part);
        output.write("\n");
        return output.uncork();
      }
      if (buffered !== undefined) {
        buffered += `${wire}\n`;
        return;
      }
      buffered = "";
      setImmediate(flush);
      output.write(`${wire}\n`);
    },
  };
}

/** The first message decides: a handshake begins a session, a modern request needs none. */
function createStdioClient(plane: Plane, write: (wire: Wire) => void, options: StdioOptions) {
  const gateway = createGatewayContext(plane);
  const { principal = plane.identity.usualCaller(), session: movable } = options;
  const view: View = { ...plainView, ...options.view };
  const stored = movable?.stored;
  const connection = movable?.id ?? uniqueId();
  const session = new ClientSession(gateway, {
    id: connection,
    principal,
    view,
    placedBy: "process",
    announce: write,
    ...withoutUndefined({ keeper: movable && keeperOf(movable, view), kept: stored }),
  });
  if (stored !== undefined) session.follow(stored);
  const out = { answer: (wire: Wire) => write(wire), say: write };
  const running = createShortLivedMap<{ arrival: Arrival; done: Promise<void> }>();
  let hasSession = stored !== undefined;

  function answerModern(id: Id, method: string, params: UnknownObject): void {
    const arrival = gateway.modern.arrive({ principal, view, connection }, write);
    const done = gateway.modern.answer(id, { method, params }, arrival).then(({ answer }) => {
      running.delete(id);
      if (!arrival.isCancelled) write(renderAnswer(id, answer));
      else void arrival.receipt?.().catch(() => undefined);
    });
    running.set(id, { arrival, done });
  }

  const refuse = (id: unknown, why: string) =>
    write(renderAnswer(isId(id) ? id : null, failure(-32600, why)));

  function receive(message: unknown): void {
    if (!isObject(message)) return refuse(null, "A message must be an object.");
    const { id, method } = message;
    const fault = faultIn(message);
    if (fault !== null) return refuse(id, fault);
    const params = objectParam(message, "params");
    if (method === "initialize") hasSession = true;
    const isModern = hasVersion(params) || (!hasSession && method === "server/discover");
    if (isModern && isId(id) && typeof method === "string") return answerModern(id, method, params);
    if (isModern && typeof method === "string" && isExtensionNotification(method))
      return gateway.modern.notify(
        { method, params },
        gateway.modern.arrive({ principal, view, connection }, () => undefined),
      );
    if (method === "notifications/cancelled") running.get(params.requestId)?.arrival.cancel();
    void session.take(message, out);
  }

  return {
    take(message: unknown): void {
      if (!Array.isArray(message)) return receive(message);
      if (message.length === 0) return refuse(null, "A batch must not be empty.");
      if (session.version() !== batchVersion)
        return refuse(null, `Batches are not part of ${session.version()}.`);
      for (const member of message) receive(member);
    },
    async close(goesOn = false): Promise<void> {
      gateway.close();
      const requests = [...running.values()];
      for (const request of requests) request.arrival.cancel();
      await Promise.allSettled([session.close(goesOn), ...requests.map(({ done }) => done)]);
    },
  };
}

/** Gives the client what another plane needs to continue its session. */
function keeperOf(movable: MovableSession, view: View): SessionKeeper {
  let { stored } = movable;
  const settle = (session: StoredSession) => {
    stored = session;
    movable.store(session);
  };
  return {
    keepsLoaded: true,
    keep: async (settled) => settle({ watched: [], ...stored, ...settled, owner: "", view }),
    async change(change) {
      if (stored !== undefined) settle(change(stored));
    },
    passOn() {},
  };
}
