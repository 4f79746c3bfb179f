import { plainText } from "../lib/text/plain-text.ts";
import { isObject, objectOrEmpty } from "../model/json.ts";
import { extensionsIn } from "./extensions.ts";
import { RpcError, TransportError } from "./message.ts";
import { discoverModern, modernErrors, openModernSession, withEnvelope } from "./modern-session.ts";
import type { Peer } from "./peer.ts";
import { requireLegacyKind } from "./result-kinds.ts";
import {
  type ClientDescription,
  describeServer,
  type Era,
  legacyVersions,
  modernVersion,
  type Session,
} from "./session.ts";

/** Offers the newest revision and takes the server's answer if known. */
export async function openLegacySession(
  peer: Peer,
  client: ClientDescription,
  signal: AbortSignal,
): Promise<Session> {
  const { info: clientInfo, capabilities } = client;
  const params = { protocolVersion: legacyVersions[0], capabilities, clientInfo };
  const answer = await peer.request("initialize", params, { signal }).catch((thrown) => {
    if (supportedBy(thrown).length > 0) throw otherVersions(thrown, legacyVersions);
    throw thrown;
  });
  return acceptHandshake(peer, answer, client);
}

const maxShownVersions = 10;
const maxShownLength = 40;

/** The revisions that an error names. */
function supportedBy(refusal: unknown): string[] {
  if (!(refusal instanceof RpcError)) return [];
  const { supported } = objectOrEmpty(refusal.data);
  if (!Array.isArray(supported)) return [];
  return supported.filter((version) => typeof version === "string");
}

function otherVersions(refusal: unknown, knownVersions: readonly string[]): Error {
  const supported = supportedBy(refusal);
  const shown = supported
    .slice(0, maxShownVersions)
    .map((version) => plainText(version).slice(0, maxShownLength));
  if (supported.length > shown.length) shown.push("and others");
  const spokenVersions = shown.length === 0 ? "of no version that it names" : shown.join(", ");
  return new Error(`it speaks protocol ${spokenVersions}; known are ${knownVersions.join(", ")}`, {
    cause: refusal,
  });
}

function acceptHandshake(
  peer: Peer,
  result: unknown,
  { capabilities, logLevel: level }: ClientDescription,
): Session {
  const answer = objectOrEmpty(result);
  const version = legacyVersions.find((candidate) => candidate === answer.protocolVersion);
  if (version === undefined) {
    const spokenVersion = JSON.stringify(answer.protocolVersion) ?? "of no version";
    throw new Error(`it speaks protocol ${spokenVersion}; known are ${legacyVersions.join(", ")}`);
  }
  const server = describeServer(answer);
  const offered = extensionsIn(server.capabilities);
  return {
    era: "legacy",
    protocolVersion: version,
    ...server,
    serverInfo: isObject(answer.serverInfo) ? answer.serverInfo : null,
    told: extensionsIn(capabilities),
    request(method, params, options) {
      const requested = peer.request(method, params, options);
      if (method !== "tools/call") return requested;
      return requested.then((result) => requireLegacyKind(result, offered, options));
    },
    complete: async (answer, _, options) => requireLegacyKind(answer, offered, options),
    watch() {
      // A server without levels sends what it likes.
      if (level !== undefined && server.capabilities.logging !== undefined) {
        void peer.request("logging/setLevel", { level }).catch(() => undefined);
      }
    },
    end() {},
  };
}

/** How long a server may ignore the new revision before it is asked whether it runs. */
const quietMs = 500;
/** And before the old one is tried too. */
const silenceMs = 2_500;
/** For one that spoke the new revision last time. */
const knownSilenceMs = 10_000;

type Negotiation = {
  client: ClientDescription;
  signal: AbortSignal;
  /** What it spoke last time. */
  known: Era | undefined;
  /** The only one to try. Over HTTP a modern server need not know the question. */
  isFixed?: boolean;
  overHttp?: boolean;
  /** Called before anything else is sent. */
  useVersion(version: string): void;
};

export async function negotiate(peer: Peer, negotiation: Negotiation): Promise<Session> {
  const session = await openEither(peer, negotiation);
  negotiation.useVersion(session.protocolVersion);
  if (session.era === "legacy") peer.notify("notifications/initialized");
  return session;
}

async function openEither(
  peer: Peer,
  { client, signal, known, isFixed, overHttp }: Negotiation,
): Promise<Session> {
  const openLegacy = () => openLegacySession(peer, client, signal);
  if (known === "legacy") return openLegacy();
  let handshake: Promise<Session> | undefined;
  const decided = new AbortController();
  const askModern = () => discoverModern(peer, client, AbortSignal.any([signal, decided.signal]));
  const discovery = askModern();
  try {
    if (isFixed) return await discovery;
    const earlyAnswer = await answerWithin(discovery, quietMs);
    if (earlyAnswer) return earlyAnswer;
    const pong = overHttp
      ? []
      : [pingInBothEras(peer, client, AbortSignal.any([signal, decided.signal]))];
    const remainingMs = (known === "modern" ? knownSilenceMs : silenceMs) - quietMs;
    const answer = await answerWithin(Promise.race([discovery, ...pong]), remainingMs);
    if (answer) return answer;
    handshake = openLegacy();
    const bothSessions = afterBoth(discovery, handshake, askModern);
    return await Promise.any([bothSessions, handshakeIfSilent(discovery, handshake)]).catch(
      throwLast,
    );
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const supported = supportedBy(thrown);
    if (isFixed && supported.length > 0 && !supported.includes(modernVersion))
      throw otherVersions(thrown, [modernVersion]);
    if (isFixed && overHttp && thrown instanceof RpcError)
      return openModernSession(peer, client, {});
    if (isFixed)
      throw new Error(`it does not speak ${modernVersion}: ${(thrown as Error).message}`);
    return afterRefusal(peer, client, thrown, () => handshake ?? openLegacy());
  } finally {
    decided.abort();
  }
}

/**
 * A legacy server that runs answers, and need not be waited for. One that is still starting reads this before the handshake:
 * as a request of the new revision it settles the era of a server that speaks both, which the handshake would make legacy.
 */
async function pingInBothEras(
  peer: Peer,
  client: ClientDescription,
  signal: AbortSignal,
): Promise<undefined> {
  await peer
    .request("ping", withEnvelope({}, client), { signal })
    .catch(() => new Promise(() => undefined));
}

/** One that answers both may have begun a legacy session with the handshake, so it is asked again. */
async function afterBoth(
  discovery: Promise<Session>,
  handshake: Promise<Session>,
  askAgain: () => Promise<Session>,
): Promise<Session> {
  const modern = await discovery;
  const legacy = await answerWithin(
    handshake.catch(() => undefined),
    silenceMs,
  );
  if (!legacy) return modern;
  return (
    (await answerWithin(
      askAgain().catch(() => undefined),
      silenceMs,
    )) ?? legacy
  );
}

/** The handshake, unless the question was answered before it. */
async function handshakeIfSilent(
  discovery: Promise<Session>,
  handshake: Promise<Session>,
): Promise<Session> {
  let isAnswered = false;
  discovery.then(
    () => {
      isAnswered = true;
    },
    () => undefined,
  );
  const legacy = await handshake;
  if (isAnswered) throw new Error("it answered the question, too");
  return legacy;
}

function throwLast(thrown: AggregateError): never {
  throw thrown.errors.at(-1);
}

/** Undefined when nothing came in time. */
function answerWithin<T>(answer: Promise<T>, limitMs: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), limitMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function afterRefusal(
  peer: Peer,
  client: ClientDescription,
  refusal: unknown,
  openLegacy: () => Promise<Session>,
): Promise<Session> {
  const { headerMismatch, missingCapability, unsupportedVersion } = modernErrors;
  const code = refusal instanceof RpcError ? refusal.code : undefined;
  if (code === headerMismatch || code === missingCapability)
    return openModernSession(peer, client, {});
  if (code === unsupportedVersion && !offersHandshake(refusal))
    throw otherVersions(refusal, [modernVersion, ...legacyVersions]);
  if (!mayBeLegacy(refusal)) throw refusal;
  try {
    return await openLegacy();
  } catch (thrown) {
    // It knows neither the question nor the handshake: a modern server that cannot be asked.
    const unknown = thrown instanceof RpcError && thrown.code === -32601;
    if (unknown && code !== undefined) return openModernSession(peer, client, {});
    throw thrown;
  }
}

function offersHandshake(refusal: unknown): boolean {
  return supportedBy(refusal).some((version) => version < modernVersion);
}

/** Missing credentials or a transport failure say nothing about the era. */
function mayBeLegacy(refusal: unknown): boolean {
  if (refusal instanceof RpcError) return true;
  const status = refusal instanceof TransportError ? refusal.status : undefined;
  return (
    status !== undefined && status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status)
  );
}
