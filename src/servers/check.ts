import type { ServerCheck } from "../model/server.ts";
import { RpcError } from "../protocol/message.ts";
import type { Session } from "../protocol/session.ts";

/** Asks a server whether it is there. The new revision has no ping, and some servers have forgotten theirs. */
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
