import { backoffMs, pause } from "../lib/async/pause.ts";
import { steadyNow } from "../lib/async/steady-time.ts";
import { hasMembers, withoutUndefined } from "../lib/json/plain-data.ts";
import type { AsClient } from "../model/calls/provider.ts";
import { isObject, objectOrEmpty, type UnknownObject } from "../model/json.ts";
import { extensionsIn, relayedTo } from "./extensions.ts";
import { RpcError, TransportError } from "./message.ts";
import type { Peer } from "./peer.ts";
import { hasShared, isExtendedKind, requireKnownKind, unknownKind } from "./result-kinds.ts";
import {
  type ClientDescription,
  describeServer,
  modernVersion,
  type RequestOptions,
  type Session,
} from "./session.ts";
import { extendsToTasks, tasksExtension } from "./tasks/task.ts";

type Send = (method: string, params: UnknownObject, options?: RequestOptions) => Promise<unknown>;

/** Only these may be answered with questions, up to this limit. */
const mayAsk = new Set(["tools/call", "prompts/get", "resources/read"]);
const maxRounds = 10;

/** Answers the server's questions until the result is complete. */
export async function completeResult(
  send: Send,
  method: string,
  params: UnknownObject,
  options: RequestOptions,
  first?: { answer: unknown },
  isExtended = false,
): Promise<unknown> {
  let continuation: UnknownObject = {};
  for (let round = 0; round <= maxRounds; round++) {
    const isFirst = round === 0 && first !== undefined;
    const result = isFirst
      ? first.answer
      : await send(method, { ...params, ...continuation }, options).catch((thrown) => {
          if (round === 0) throw thrown;
          throw asSent(thrown);
        });
    const type = objectOrEmpty(result).resultType ?? "complete";
    if (type === "complete" || !isObject(result)) return result;
    if (type === "task" && options.task) return result;
    if (type !== "input_required" || !mayAsk.has(method)) {
      if (isExtended && isExtendedKind(type)) return result;
      throw unknownKind(type);
    }
    continuation = await answerQuestions(result, options);
  }
  throw new RpcError(-32603, `it still asked back after ${maxRounds} rounds`);
}

/** The request had been seen in an earlier round, whatever became of this one. */
function asSent(thrown: unknown): unknown {
  if (!(thrown instanceof TransportError) || thrown.sent) return thrown;
  return new TransportError(thrown.message, { ...thrown, sent: true, answered: true });
}

/** The state goes back unchanged. */
async function answerQuestions(
  { inputRequests, requestState }: UnknownObject,
  { onRequest, signal = new AbortController().signal }: RequestOptions,
): Promise<UnknownObject> {
  const questions = Object.entries(objectOrEmpty(inputRequests));
  const answers = await Promise.all(
    questions.map(async ([key, question]): Promise<[string, UnknownObject]> => {
      const { method, params } = objectOrEmpty(question);
      if (!onRequest || typeof method !== "string") {
        throw new RpcError(-32603, `it asked for '${method}', which cannot be answered here`);
      }
      return [key, await onRequest(method, objectOrEmpty(params), signal)];
    }),
  );
  const inputResponses = answers.length === 0 ? undefined : Object.fromEntries(answers);
  return withoutUndefined({ inputResponses, requestState });
}

const metaPrefix = "io.modelcontextprotocol/";
/** The wait before the stream of changes is opened again. */
const listenBackoff = { firstMs: 1_000, maxMs: 60_000 };

/** Only a server of this revision answers with these. */
export const modernErrors = {
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
};

/** Its answer, or an error of this revision, shows that it speaks it. */
export async function discoverModern(
  peer: Peer,
  client: ClientDescription,
  signal: AbortSignal,
): Promise<Session> {
  const result = await peer.request("server/discover", withEnvelope({}, client), { signal });
  const discovered = objectOrEmpty(result);
  const versions = discovered.supportedVersions;
  // Some servers answer every method with something.
  if (!Array.isArray(versions)) throw new RpcError(-32601, "it does not know server/discover");
  if (!versions.includes(modernVersion))
    throw new RpcError(modernErrors.unsupportedVersion, "it does not speak 2026-07-28", {
      supported: versions,
    });
  return openModernSession(peer, client, discovered);
}

/** No handshake: every request carries what a handshake would tell. */
export function openModernSession(
  peer: Peer,
  client: ClientDescription,
  discovered: UnknownObject,
): Session {
  const serverInfo = objectOrEmpty(discovered._meta)[`${metaPrefix}serverInfo`];
  const server = describeServer(discovered);
  const ended = new AbortController();
  const selfDescription = client.own ? { ...client, capabilities: client.own } : client;
  const clientDescription = extendsToTasks(server) ? withTasks(selfDescription) : selfDescription;
  const offeredExtensions = extensionsIn(server.capabilities);
  const envelopes = createEnvelopes(clientDescription, offeredExtensions);
  const isExtended = (options: RequestOptions) => hasShared(offeredExtensions, options);
  const send = (method: string, params: UnknownObject, options: RequestOptions = {}) => {
    // With a continuation the caller answers the questions.
    const answersHere = method === "tools/call" && options.continuation === undefined;
    return peer.request(method, withMeta(params, envelopes(options, answersHere)), options);
  };
  return {
    era: "modern",
    protocolVersion: modernVersion,
    ...server,
    serverInfo: isObject(serverInfo) ? serverInfo : null,
    request(method, params, options = {}) {
      const { continuation } = options;
      if (continuation === undefined)
        return completeResult(send, method, params, options, undefined, isExtended(options));
      return send(method, { ...params, ...continuation }, options).then((result) =>
        requireKnownKind(result, isExtended(options)),
      );
    },
    address(params, options) {
      const { continuation } = options;
      const envelope = envelopes(options, continuation === undefined);
      return withMeta(
        continuation === undefined ? params : { ...params, ...continuation },
        envelope,
      );
    },
    complete(answer, params, options) {
      if (options.continuation === undefined)
        return completeResult(send, "tools/call", params, options, { answer }, isExtended(options));
      return Promise.resolve(answer).then((result) =>
        requireKnownKind(result, isExtended(options)),
      );
    },
    watch() {
      const filter = changesOffered(server.capabilities);
      if (filter)
        void listen(
          () => send("subscriptions/listen", filter, { signal: ended.signal }),
          ended.signal,
        );
    },
    end: () => ended.abort(),
  };
}

/** A server may answer with a task only where the client declares the extension. */
function withTasks({ info, capabilities }: ClientDescription): ClientDescription {
  const declared = objectOrEmpty(capabilities.extensions);
  return {
    info,
    capabilities: { ...capabilities, extensions: { ...declared, [tasksExtension]: {} } },
  };
}

function onBehalfOf(
  caller: AsClient | undefined,
  ownDescription: ClientDescription,
  answersHere: boolean,
  offered: UnknownObject,
): ClientDescription {
  if (caller === undefined) return ownDescription;
  const { sampling } = ownDescription.capabilities;
  const { logLevel } = caller;
  const { extensions: _, ...otherCapabilities } = caller.capabilities;
  const tasks = extensionsIn(ownDescription.capabilities)[tasksExtension];
  const extensions = {
    ...relayedTo(offered, extensionsIn(caller.capabilities)),
    ...withoutUndefined({ [tasksExtension]: tasks }),
  };
  return {
    info: (caller.info as ClientDescription["info"] | undefined) ?? ownDescription.info,
    capabilities: {
      // Where a caller has no model, ours answers.
      ...withoutUndefined({ sampling: answersHere ? sampling : undefined }),
      ...otherCapabilities,
      ...withoutUndefined({ extensions: hasMembers(extensions) ? extensions : undefined }),
    },
    ...withoutUndefined({ logLevel }),
  };
}

/** Says who asks, in which revision. */
export function withEnvelope(params: UnknownObject, client: ClientDescription): UnknownObject {
  return withMeta(params, envelopeOf(client));
}

function withMeta(params: UnknownObject, envelope: UnknownObject): UnknownObject {
  return {
    ...params,
    _meta: params._meta === undefined ? envelope : { ...envelope, ...(params._meta as object) },
  };
}

function envelopeOf({ info, capabilities, logLevel }: ClientDescription): UnknownObject {
  return withoutUndefined({
    [`${metaPrefix}protocolVersion`]: modernVersion,
    [`${metaPrefix}clientCapabilities`]: capabilities,
    [`${metaPrefix}clientInfo`]: info,
    [`${metaPrefix}logLevel`]: logLevel,
  });
}

type Envelopes = {
  client: AsClient;
  answering: UnknownObject | undefined;
  asking: UnknownObject | undefined;
};

/** The calls of a client say the same of it each time, so it is put together once. */
function createEnvelopes(ownDescription: ClientDescription, offered: UnknownObject) {
  const plainEnvelope = envelopeOf(ownDescription);
  const envelopesOf = new WeakMap<AsClient, Envelopes>();
  return (
    { asClient, samples }: Pick<RequestOptions, "asClient" | "samples">,
    answersHere: boolean,
  ): UnknownObject => {
    const plane = samples
      ? { ...ownDescription, capabilities: { ...ownDescription.capabilities, sampling: {} } }
      : ownDescription;
    if (asClient === undefined) return samples ? envelopeOf(plane) : plainEnvelope;
    const makeEnvelope = () => envelopeOf(onBehalfOf(asClient, plane, answersHere, offered));
    if (samples) return makeEnvelope();
    let envelopes = envelopesOf.get(asClient);
    if (envelopes === undefined || !isSameClient(envelopes.client, asClient)) {
      envelopes = { client: { ...asClient }, answering: undefined, asking: undefined };
      envelopesOf.set(asClient, envelopes);
    }
    if (answersHere) {
      envelopes.answering ??= makeEnvelope();
      return envelopes.answering;
    }
    envelopes.asking ??= makeEnvelope();
    return envelopes.asking;
  };
}

/** A client may have said more of itself since its envelopes were made. */
function isSameClient(a: AsClient, b: AsClient): boolean {
  return a.info === b.info && a.capabilities === b.capabilities && a.logLevel === b.logLevel;
}

function changesOffered({ tools, prompts, resources }: UnknownObject): UnknownObject | undefined {
  const changing = Object.entries({ tools, prompts, resources }).filter(
    ([, offered]) => isObject(offered) && offered.listChanged === true,
  );
  if (changing.length === 0) return undefined;
  return {
    notifications: Object.fromEntries(changing.map(([kind]) => [`${kind}ListChanged`, true])),
  };
}

/** A server that refuses it is not asked again. */
async function listen(ask: () => Promise<unknown>, ended: AbortSignal): Promise<void> {
  let failures = 0;
  while (!ended.aborted) {
    const startedAt = steadyNow();
    try {
      await ask();
    } catch (thrown) {
      if (thrown instanceof RpcError || (thrown instanceof TransportError && thrown.permanent))
        return;
    }
    if (ended.aborted) return;
    failures = steadyNow() - startedAt >= listenBackoff.maxMs ? 1 : failures + 1;
    await pause(backoffMs(listenBackoff, failures), { signal: ended, isBackground: true });
  }
}
