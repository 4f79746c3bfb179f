import { abortable } from "../lib/abortable.ts";
import { sentence } from "../lib/sentence.ts";
import { version } from "../lib/version.ts";
import { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { UnknownObject } from "../model/json.ts";
import type { ServerDefinition, ServerState } from "../model/server.ts";
import { type Channel, TransportError } from "../protocol/message.ts";
import { createPeer, type Peer, type RequestOptions } from "../protocol/peer.ts";
import { listAll, openSession, type SessionInfo } from "../protocol/session.ts";
import { openChannel } from "./open-channel.ts";
import { createServerHider, withoutSecrets } from "./without-secrets.ts";

const firstRetryMs = 1_000;
const longestRetryMs = 60_000;
const relistAfterMs = 50;

export type ConnectionOptions = {
  name: string;
  definition: ServerDefinition;
  environment: Readonly<Record<string, string | undefined>>;
  resolveSecrets(name: string, definition: ServerDefinition): Promise<ServerDefinition>;
  secretValues(): readonly string[];
  emit(event: PlaneEvent): void;
  /** Called with everything the server lists, each time it lists. */
  onTools(tools: unknown[]): number;
};

type Live = { peer: Peer; channel: Channel; info: SessionInfo };

export type Connection = {
  connect(): Promise<void>;
  request(method: string, params: UnknownObject, options: RequestOptions): Promise<unknown>;
  snapshot(): { state: ServerState; error: string | null; nextRetryAt: number | null; live: Live | null };
  close(): Promise<void>;
};

/** One server's life: connected on first use, replaced when it died, left alone while it backs off. */
export function createConnection(options: ConnectionOptions): Connection {
  const { name, definition, emit } = options;
  let state: ServerState = definition.enabled ? "disconnected" : "disabled";
  let live: Live | null = null;
  let connecting: Promise<Live> | undefined;
  let failures = 0;
  let error: string | null = null;
  let retryAt: number | null = null;
  let relist: NodeJS.Timeout | undefined;
  let stopped = false;
  let hide = createServerHider(definition, options.secretValues());
  const stopping = new AbortController();
  const closing = new Set<Promise<void>>();

  /** Waited for when the connection is closed, so that nothing outlives it. */
  function leave(channel: Channel): Promise<void> {
    const left = channel.close().finally(() => closing.delete(left));
    closing.add(left);
    return left;
  }

  async function open(): Promise<Live> {
    state = "connecting";
    emit({ type: "server.connecting", server: name });
    const tooLong = AbortSignal.timeout(definition.connectTimeoutMs);
    const limit = AbortSignal.any([tooLong, stopping.signal]);
    let channel: Channel | undefined;
    let lost: TransportError | undefined;
    const peer = createPeer(() => channel ?? unopened(), onNotification);
    try {
      const resolved = await options.resolveSecrets(name, definition);
      hide = createServerHider(resolved, options.secretValues());
      channel = await openChannel(resolved, options.environment, {
        onMessage: peer.receive,
        onClose(reason) {
          lost = reason;
          peer.fail(reason);
          if (live?.peer === peer) onLost(reason);
        },
      });
      const info = await openSession(peer, { name: "toolplane", version }, limit);
      channel.useProtocolVersion(info.protocolVersion);
      peer.notify("notifications/initialized");
      const listed = info.offersTools ? await listAll(peer, "tools/list", "tools", limit) : [];
      if (lost) throw lost;
      if (stopped) throw new TransportError("the plane is stopping", { sent: false });
      return connected({ peer, channel, info }, options.onTools(listed));
    } catch (thrown) {
      if (channel) void leave(channel);
      throw failed(tooLong.aborted ? timeoutText() : thrown);
    }
  }

  function connected(opened: Live, toolCount: number): Live {
    live = opened;
    state = "connected";
    failures = 0;
    error = null;
    retryAt = null;
    emit({ type: "server.connected", server: name, toolCount, protocolVersion: opened.info.protocolVersion });
    return opened;
  }

  function failed(cause: unknown): PlaneError {
    const reason = hide(cause instanceof Error ? cause.message : String(cause));
    failures += 1;
    retryAt = Date.now() + Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1));
    state = "error";
    error = reason;
    emit({ type: "server.error", server: name, message: reason });
    return unavailable();
  }

  function onLost(reason: TransportError): void {
    if (live) void leave(live.channel);
    live = null;
    state = "disconnected";
    error = hide(reason.message);
    emit({ type: "server.disconnected", server: name, reason: error });
  }

  function onNotification(method: string): void {
    if (method !== "notifications/tools/list_changed" || relist || !live) return;
    const { peer } = live;
    relist = setTimeout(async () => {
      relist = undefined;
      const limit = AbortSignal.timeout(definition.connectTimeoutMs);
      try {
        options.onTools(await listAll(peer, "tools/list", "tools", limit));
      } catch (thrown) {
        emit({ type: "server.error", server: name, message: `Listing tools again failed: ${thrown}` });
      }
    }, relistAfterMs);
  }

  function unavailable(): PlaneError {
    const retry = retryAt === null ? {} : { retryAt: new Date(retryAt).toISOString() };
    return new PlaneError(
      "SERVER_UNAVAILABLE",
      `Server '${name}' is not available: ${sentence(error ?? state)}`,
      {
        data: { server: name, sent: false, ...retry },
      },
    );
  }

  function timeoutText(): string {
    return `it did not finish its handshake within ${definition.connectTimeoutMs / 1000} s`;
  }

  async function ensure(): Promise<Live> {
    if (stopped)
      throw new PlaneError("SERVER_UNAVAILABLE", `Server '${name}' is stopped.`, {
        data: { server: name, sent: false, retryAt: null },
      });
    if (!definition.enabled) {
      throw new PlaneError("SERVER_UNAVAILABLE", `Server '${name}' is disabled in the configuration.`, {
        data: { server: name, sent: false },
      });
    }
    if (live) return live;
    if (!connecting && retryAt !== null && Date.now() < retryAt) throw unavailable();
    connecting ??= open().finally(() => {
      connecting = undefined;
    });
    return connecting;
  }

  return {
    connect: async () => void (await ensure()),
    async request(method, params, requestOptions) {
      const { peer } = await abortable(ensure(), requestOptions.signal);
      return peer.request(method, params, requestOptions).catch((thrown) => {
        throw withoutSecrets(thrown, hide);
      });
    },
    snapshot: () => ({ state, error, nextRetryAt: retryAt, live }),
    async close() {
      stopped = true;
      stopping.abort(new TransportError("the plane is stopping", { sent: false }));
      clearTimeout(relist);
      await connecting?.catch(() => undefined);
      const last = live;
      live = null;
      if (last === null) return void (await Promise.all(closing));
      state = "disconnected";
      emit({ type: "server.disconnected", server: name, reason: "closed" });
      last.peer.fail(new TransportError("the connection was closed", { sent: true }));
      await Promise.all([...closing, leave(last.channel)]);
    },
  };
}

function unopened(): never {
  throw new TransportError("the connection is not open", { sent: false });
}
