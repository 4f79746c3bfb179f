import type { ServerCheck } from "../model/servers/server.ts";
import { RpcError } from "../protocol/message.ts";
import type { Session } from "../protocol/session.ts";
import type { Connection, Live } from "./connection.ts";

/** A listing where there is no ping. */
export async function checkServer({ era, request }: Session, signal: AbortSignal): Promise<ServerCheck> {
  const startedAt = performance.now();
  const done = (how: ServerCheck["how"]) => ({ how, ms: Math.round(performance.now() - startedAt) });
  if (era === "legacy") {
    try {
      await request("ping", {}, { signal });
      return done("ping");
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
    }
  }
  await request("tools/list", {}, { signal });
  return done("list");
}

const answerWithinMs = 5_000;

/** After an aborted request: a busy server may be slow; a silent one is replaced. */
export function createLivenessCheck(): (connection: Connection, live: Live, startedAt: number) => void {
  const asking = new WeakSet<Live>();
  return (connection, live, startedAt) => {
    const oldest = live.peer.oldestPendingAt();
    if (asking.has(live) || connection.live() !== live || (oldest !== null && oldest < startedAt)) return;
    asking.add(live);
    const heardBefore = live.peer.heard();
    const limit = AbortSignal.timeout(answerWithinMs);
    checkServer(live.session, limit)
      .catch(() => {
        if (limit.aborted && live.peer.heard() === heardBefore) {
          connection.lose(live, `it stopped answering: no reply to a liveness check within ${answerWithinMs / 1000} s`);
        }
      })
      .finally(() => asking.delete(live));
  };
}
