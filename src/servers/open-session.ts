import { withoutUndefined } from "../lib/json/plain-data.ts";
import type { ServerDefinition } from "../model/servers/server.ts";
import { type Channel, type ChannelHandlers, TransportError } from "../protocol/message.ts";
import { negotiate } from "../protocol/negotiate.ts";
import { createPeer, type Peer, type PeerHandlers, unopened } from "../protocol/peer.ts";
import type { ClientDescription, Era, Session } from "../protocol/session.ts";
import { installFailure } from "./installer.ts";
import type { RequestCredentials } from "./transports/http-request.ts";
import { openChannel } from "./transports/open-channel.ts";
import type { ServerPackages } from "./transports/packages.ts";

export type { RequestCredentials };

export type OpenedSession = { channel: Channel; peer: Peer; session: Session };

export type SessionHandlers = Omit<PeerHandlers, "onStray"> &
  Pick<ChannelHandlers, "onClose" | "onRetired" | "onStderr" | "onProcess"> & {
    /** Neither answer, question nor notification. */
    onNoise(text: string): void;
    /** The same of a message of the protocol. Without it, `onNoise` is called. */
    onStray?(what: string): void;
    /** Also for a channel that never opened. */
    onEnded?(reason: TransportError): void;
    onTooLarge(bytes: number): Error;
  };

export type OpenOptions = {
  definition: ServerDefinition;
  environment: Readonly<Record<string, string | undefined>>;
  access: RequestCredentials;
  packages: ServerPackages;
  client: ClientDescription;
  known(): Promise<Era | undefined>;
  isFixed?: boolean;
  /** A process that ends is not started again to ask in the other era. */
  isOnlyEra?: boolean;
  signal: AbortSignal;
  /** So that every channel can be closed, whatever comes of it. */
  onOpened(channel: Channel): void;
};

/** In the era and over the transport that the server speaks. */
export async function openSession(
  options: OpenOptions,
  handlers: SessionHandlers,
): Promise<OpenedSession> {
  try {
    return await openOnce(options, handlers);
  } catch (thrown) {
    if (options.signal.aborted) throw thrown;
    const fallback = fallbackFor(thrown, await options.known(), options);
    if (!fallback) throw thrown;
    return openOnce({ ...options, ...fallback }, handlers).catch(() => {
      throw thrown;
    });
  }
}

const asLegacy = async (): Promise<Era> => "legacy";

/** Some servers leave at an unknown question; some know only the old transport. */
function fallbackFor(
  thrown: unknown,
  era: Era | undefined,
  { definition, isFixed, isOnlyEra }: OpenOptions,
): Partial<OpenOptions> | undefined {
  if (!(thrown instanceof TransportError)) return undefined;
  // Without a server, none has left at the question.
  if (installFailure(definition, thrown.said) !== null) return undefined;
  if (isOnlyEra || (isFixed && era === "modern")) return undefined;
  const { transport } = definition;
  if (transport === "stdio" && era !== "legacy" && thrown.sent) return { known: asLegacy };
  const isOlder = transport === "http" && [400, 404, 405].includes(thrown.status ?? 0);
  if (!isOlder) return undefined;
  return { known: asLegacy, definition: { ...definition, transport: "sse" } };
}

async function openOnce(options: OpenOptions, handlers: SessionHandlers): Promise<OpenedSession> {
  const { definition, environment, access, packages, client, known: knownEra, signal } = options;
  let channel: Channel | undefined;
  let lost: TransportError | undefined;
  let isOpen = false;
  const peer = createPeer(() => channel ?? unopened(), {
    ...handlers,
    onStray: handlers.onStray ?? handlers.onNoise,
  });
  channel = await openChannel(
    definition,
    environment,
    {
      onMessage: peer.receive,
      onClose(reason) {
        lost = reason;
        peer.fail(reason);
        handlers.onEnded?.(reason);
        // A loss before the handshake rejects instead, and may be tried another way.
        if (isOpen) handlers.onClose(reason);
      },
      onRetired(reason) {
        if (!isOpen) lost = reason;
        else if (handlers.onRetired) handlers.onRetired(reason);
        else handlers.onClose(reason);
      },
      onTooLarge: (id, bytes) => {
        const reason = handlers.onTooLarge(bytes);
        if (id !== undefined || peer.pending() === 1) peer.fail(reason, id);
      },
      onUnsent: (id, reason) => peer.fail(reason, id),
      onNoise: handlers.onNoise,
      ...withoutUndefined({ onProcess: handlers.onProcess, onStderr: handlers.onStderr }),
    },
    packages,
    access,
    signal,
  );
  const opened = channel;
  options.onOpened(opened);
  const session = await negotiate(peer, {
    client,
    signal,
    known: await knownEra(),
    isFixed: options.isFixed ?? false,
    overHttp: definition.transport === "http",
    useVersion: (version) => opened.useProtocolVersion(version),
  });
  if (lost) throw lost;
  isOpen = true;
  if (session.era === "legacy") opened.listen?.();
  return { channel: opened, peer, session };
}
