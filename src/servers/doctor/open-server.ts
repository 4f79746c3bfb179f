import { plainText } from "../../lib/plain-text.ts";
import { limitTime } from "../../lib/time-limit.ts";
import { version } from "../../lib/version.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { ServerDefinition } from "../../model/server.ts";
import { listAll } from "../../protocol/list-all.ts";
import { type Channel, RpcError, TransportError } from "../../protocol/message.ts";
import { refuseRequest } from "../../protocol/peer.ts";
import { tokenHeaders } from "../auth/token-headers.ts";
import { installerOf, installFailure } from "../installer.ts";
import { openSession } from "../open-session.ts";
import { explain, type Failure } from "./failure.ts";

export type Opened = {
  /** Null when no handshake came about. */
  session: { protocolVersion: string; server: string | null } | null;
  /** What it listed; null when something failed before. */
  listed: unknown[] | null;
  failure: Failure | null;
};

export type Limits = {
  limitMs: number;
  /** Instead of that while an installer is at work. */
  installMs: number;
  /** Has it been started before, so that there should be nothing to install? */
  isInstalled: boolean;
};

/** Opens a session, lists the tools, and has ended whatever it started when it answers. */
export async function openServer(
  definition: ServerDefinition,
  environment: Readonly<Record<string, string | undefined>>,
  { limitMs, installMs, isInstalled }: Limits,
): Promise<Opened> {
  const limiter = limitTime(limitMs, installMs + limitMs);
  const { signal } = limiter;
  let waitsMs = limitMs;
  const waitForInstaller = () => {
    if (installerOf(definition) === null || waitsMs >= installMs || opened.session) return;
    waitsMs = installMs;
    limiter.extend(installMs);
  };
  const opened: Opened = { session: null, listed: null, failure: null };
  const closed = Promise.withResolvers<TransportError>();
  const channels: Channel[] = [];
  let noise: string | undefined;
  let failed: { thrown: unknown; tooLate: boolean } | undefined;
  if (!isInstalled) waitForInstaller();
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
        onStderr: waitForInstaller,
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
    waitsMs = limitMs;
    limiter.extend();
    const offersTools = session.era === "modern" || session.capabilities.tools !== undefined;
    opened.listed = offersTools ? (await listAll(session, "tools/list", signal)).items : [];
    session.end();
  } catch (thrown) {
    failed = { thrown, tooLate: signal.aborted };
  } finally {
    limiter.clear();
    await Promise.all(channels.map((channel) => channel.close()));
  }
  const channel = channels.at(-1);
  if (failed) {
    const failure = await explain({ ...failed, limitMs: waitsMs, channel, noise, closed: closed.promise });
    const install = installFailure(definition, saidBefore(failed.thrown));
    opened.failure = install === null ? failure : { ...failure, said: install.lines.join("\n") };
  }
  return opened;
}

function saidBefore(thrown: unknown): string {
  return thrown instanceof TransportError ? thrown.said : "";
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
