import type { PlaneEvent } from "../../src/model/events.ts";
import { type Channel, TransportError } from "../../src/protocol/message.ts";
import { createPeer, refuseRequest } from "../../src/protocol/peer.ts";
import type { Session } from "../../src/protocol/session.ts";
import { createServerConnection } from "../../src/servers/connection.ts";
import type { OpenSteps } from "../../src/servers/open-attempt.ts";
import { moveTime } from "./mocked-time.ts";

/** One attempt to open a session, to be decided by hand. */
export type Attempt = {
  steps: OpenSteps;
  channel: Channel & { closings: number };
  session: Session & { ends: number };
} & {
  succeed(): void;
  fail(reason: unknown): void;
};

export function sampleConnection({
  kept = true,
  closeMs = 0,
  connectTimeoutMs = 30_000,
  idleTimeoutMs = 0,
  after = undefined as Promise<void> | undefined,
} = {}) {
  const attempts: Attempt[] = [];
  const events: PlaneEvent[] = [];
  const left: Channel[] = [];
  const world = { kept, alive: 0, most: 0, idle: 0 };
  const connection = createServerConnection({
    name: "s",
    connectTimeoutMs,
    idleTimeoutMs,
    after,
    onIdle() {
      world.idle += 1;
    },
    retry: { firstMs: 1_000, maxMs: 60_000, maxCooldownMs: 60_000 },
    staysConnected: () => world.kept,
    emit: (event) => events.push(event),
    hide: (text) => text.replaceAll("hunter2", "[redacted]"),
    onLeft: (channel) => left.push(channel),
    open(steps) {
      const done = Promise.withResolvers<void>();
      const attempt = createAttempt(steps, done, world, closeMs);
      const { channel, session } = attempt;
      attempts.push(attempt);
      steps.onOpened(channel);
      steps.signal.addEventListener("abort", () => done.reject(steps.signal.reason));
      const peer = createPeer(() => channel, {
        onNotification() {},
        onRequest: refuseRequest,
        onStray() {},
      });
      return done.promise.then(() => ({ opened: { channel, session, peer }, toolCount: 3 }));
    },
  });
  const types = () => events.map(({ type }) => type.replace("server.", ""));
  const connect = async () => {
    const live = connection.ensure({ force: true });
    await moveTime(0);
    attempts.at(-1)?.succeed();
    return live;
  };
  return { connection, attempts, events, types, left, world, connect };
}

function createAttempt(
  steps: OpenSteps,
  done: PromiseWithResolvers<void>,
  world: { alive: number; most: number },
  closeMs: number,
): Attempt {
  world.alive += 1;
  world.most = Math.max(world.most, world.alive);
  const channel = {
    pid: 7,
    closings: 0,
    send() {},
    useProtocolVersion() {},
    async close() {
      channel.closings += 1;
      if (closeMs > 0) await new Promise((resolve) => setTimeout(resolve, closeMs));
      if (channel.closings === 1) world.alive -= 1;
    },
  };
  const session = {
    ends: 0,
    era: "legacy" as const,
    protocolVersion: "2025-11-25",
    capabilities: {},
    serverInfo: null,
    instructions: null,
    request: async () => ({}),
    watch() {},
    end() {
      session.ends += 1;
    },
  };
  return {
    steps,
    channel,
    session,
    succeed: () => done.resolve(),
    fail: (reason) => done.reject(reason),
  };
}

export const gone = (message = "it exited with code 1") =>
  new TransportError(message, { sent: true });
