import { plainText } from "../../lib/plain-text.ts";
import { version } from "../../lib/version.ts";
import { isObject } from "../../model/json.ts";
import type { ServerDefinition } from "../../model/server.ts";
import { type Channel, TransportError } from "../../protocol/message.ts";
import { createPeer } from "../../protocol/peer.ts";
import { listAll, openSession } from "../../protocol/session.ts";
import { openChannel } from "../open-channel.ts";
import { explain, type Failure } from "./failure.ts";

export type Opened = {
  /** Null when no handshake came about. */
  session: { protocolVersion: string; server: string | null } | null;
  /** What it listed; null when something failed before. */
  listed: unknown[] | null;
  failure: Failure | null;
};

/** Opens a session, lists the tools, and has ended whatever it started when it answers. */
export async function openServer(
  definition: ServerDefinition,
  environment: Readonly<Record<string, string | undefined>>,
  limitMs: number,
): Promise<Opened> {
  const limit = AbortSignal.timeout(limitMs);
  const opened: Opened = { session: null, listed: null, failure: null };
  const closed = Promise.withResolvers<TransportError>();
  let failed: { thrown: unknown; tooLate: boolean } | undefined;
  let channel: Channel | undefined;
  let server: string | null = null;
  const peer = createPeer(
    () => channel ?? unopened(),
    () => undefined,
  );
  try {
    channel = await openChannel(definition, environment, {
      onMessage(message) {
        server ??= serverIn(message);
        peer.receive(message);
      },
      onClose(reason) {
        closed.resolve(reason);
        peer.fail(reason);
      },
    });
    const info = await openSession(peer, { name: "toolplane", version }, limit);
    opened.session = { protocolVersion: info.protocolVersion, server };
    channel.useProtocolVersion(info.protocolVersion);
    peer.notify("notifications/initialized");
    opened.listed = info.offersTools ? await listAll(peer, "tools/list", "tools", limit) : [];
  } catch (thrown) {
    failed = { thrown, tooLate: limit.aborted };
  } finally {
    await channel?.close();
  }
  if (failed) opened.failure = await explain({ ...failed, limitMs, channel, closed: closed.promise });
  return opened;
}

/** The name stands in the answer to the handshake, of which a session keeps only the protocol. */
function serverIn(message: unknown): string | null {
  const result = isObject(message) ? message.result : undefined;
  const info = isObject(result) && isObject(result.serverInfo) ? result.serverInfo : {};
  if (typeof info.name !== "string") return null;
  const words = [info.name, info.version].filter((word) => typeof word === "string");
  return plainText(words.join(" ")).slice(0, 100);
}

function unopened(): never {
  throw new TransportError("the connection is not open", { sent: false });
}
