import { plainText } from "../../lib/plain-text.ts";
import { version } from "../../lib/version.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { ServerDefinition } from "../../model/server.ts";
import { listAll } from "../../protocol/list-all.ts";
import { type Channel, RpcError, type TransportError } from "../../protocol/message.ts";
import { refuseRequest } from "../../protocol/peer.ts";
import { tokenHeaders } from "../auth/token-headers.ts";
import { openSession } from "../open-session.ts";
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
  const signal = AbortSignal.timeout(limitMs);
  const opened: Opened = { session: null, listed: null, failure: null };
  const closed = Promise.withResolvers<TransportError>();
  const channels: Channel[] = [];
  let noise: string | undefined;
  let failed: { thrown: unknown; tooLate: boolean } | undefined;
  try {
    const { session } = await openSession(
      {
        definition,
        environment,
        access: { authorize: async () => staticHeaders(definition.auth) },
        client: { info: { name: "toolplane", version }, capabilities: {} },
        known: async () => undefined,
        signal,
        onOpened: (channel) => channels.push(channel),
      },
      {
        onNotification: () => undefined,
        onRequest: refuseRequest,
        onNoise: (text) => {
          noise ??= text;
        },
        onTooLarge: (bytes) => new RpcError(-32603, `its answer of ${bytes} bytes is too large`),
        onClose: () => undefined,
        onEnded: closed.resolve,
      },
    );
    opened.session = { protocolVersion: session.protocolVersion, server: nameOf(session.serverInfo) };
    const offersTools = session.era === "modern" || session.capabilities.tools !== undefined;
    opened.listed = offersTools ? (await listAll(session, "tools/list", signal)).items : [];
    session.end();
  } catch (thrown) {
    failed = { thrown, tooLate: signal.aborted };
  } finally {
    await Promise.all(channels.map((channel) => channel.close()));
  }
  const channel = channels.at(-1);
  if (failed) opened.failure = await explain({ ...failed, limitMs, channel, noise, closed: closed.promise });
  return opened;
}

/** Only what everybody sends; nobody is asked to sign in for a check. */
function staticHeaders(auth: ServerDefinition["auth"]): Record<string, string> {
  return auth?.token && auth.type !== "none" ? tokenHeaders(auth, auth.token) : {};
}

function nameOf(info: UnknownObject | null): string | null {
  if (typeof info?.name !== "string") return null;
  const words = [info.name, info.version].filter((word) => typeof word === "string");
  return plainText(words.join(" ")).slice(0, 100);
}
