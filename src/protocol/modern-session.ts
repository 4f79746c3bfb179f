import { backoffMs, pause } from "../lib/async/pause.ts";
import { steadyNow } from "../lib/async/steady-time.ts";
import type { AsClient } from "../model/calls/provider.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
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
  let more: UnknownObject = {};
  for (let round = 0; round <= maxRounds; round++) {
    const isFirst = round === 0 && first !== undefined;
    const result = isFirst
      ? first.answer
      : await send(method, { ...params, ...more }, options).catch((thrown) => {
          throw round === 0 ? thrown : asSent(thrown);
        });
    const type = isObject(result) ? (result.resultType ?? "complete") : "complete";
    if (type === "complete" || !isObject(result)) return result;
    if (type === "task" && options.task) return result;
    if (type !== "input_required" || !mayAsk.has(method)) {
      if (isExtended && isExtendedKind(type)) return result;
      throw unknownKind(type);
    }
    more = await answerQuestions(result, options);
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
  const questions = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  const answers = await Promise.all(
    questions.map(async ([key, question]): Promise<[string, UnknownObject]> => {
      const { method, params } = isObject(question) ? question : {};
      if (!onRequest || typeof method !== "string") {
        throw new RpcError(-32603, `it asked for '${method}', which cannot be answered here`);
      }
      return [key, await onRequest(method, isObject(params) ? params : {}, signal)];
    }),
  );
  return {
    ...(answers.length === 0 ? {} : { inputResponses: Object.fromEntries(answers) }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

const metaPrefix = "io.modelcontextprotocol/";
/** The wait before the stream of changes is opened again. */
const listenAgain = { firstMs: 1_000, maxMs: 60_000 };

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
  const given = isObject(result) ? result : {};
  const versions = given.supportedVersions;
  // Some servers answer every method with something.
  if (!Array.isArray(versions)) throw new RpcError(-32601, "it does not know server/discover");
  if (!versions.includes(modernVersion))
    throw new RpcError(modernErrors.unsupportedVersion, "it does not speak 2026-07-28", {
      supported: versions,
    });
  return openModernSession(peer, client, given);
}

/** No handshake: every request carries what a handshake would tell. */
export function openModernSession(
  peer: Peer,
  client: ClientDescription,
  given: UnknownObject,
): Session {
  const meta = isObject(given._meta) ? given._meta : {};
  const serverInfo = meta[`${metaPrefix}serverInfo`];
  const described = describeServer(given);
  const ended = new AbortController();
  const self = client.own ? { ...client, capabilities: client.own } : client;
  const able = extendsToTasks(described) ? withTasks(self) : self;
  const offered = extensionsIn(described.capabilities);
  const envelopes = createEnvelopes(able, offered);
  const isExtended = (options: RequestOptions) => hasShared(offered, options);
  const send = (method: string, params: UnknownObject, options: RequestOptions = {}) => {
    // With a continuation the caller answers the questions.
    const answersHere = method === "tools/call" && options.continuation === undefined;
    return peer.request(method, withMeta(params, envelopes(options, answersHere)), options);
  };
  return {
    era: "modern",
    protocolVersion: modernVersion,
    ...described,
    serverInfo: isObject(serverInfo) ? serverInfo : null,
    request: (method, params, options = {}) =>
      options.continuation
        ? send(method, { ...params, ...options.continuation }, options).then((result) =>
            requireKnownKind(result, isExtended(options)),
          )
        : completeResult(send, method, params, options, undefined, isExtended(options)),
    address(params, options) {
      const { continuation } = options;
      const envelope = envelopes(options, continuation === undefined);
      return withMeta(
        continuation === undefined ? params : { ...params, ...continuation },
        envelope,
      );
    },
    complete: (answer, params, options) =>
      options.continuation
        ? Promise.resolve(answer).then((result) => requireKnownKind(result, isExtended(options)))
        : completeResult(send, "tools/call", params, options, { answer }, isExtended(options)),
    watch() {
      const filter = changesOffered(described.capabilities);
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
  const others = isObject(capabilities.extensions) ? capabilities.extensions : {};
  return {
    info,
    capabilities: { ...capabilities, extensions: { ...others, [tasksExtension]: {} } },
  };
}

function inTheNameOf(
  caller: AsClient | undefined,
  own: ClientDescription,
  answersHere: boolean,
  offered: UnknownObject,
): ClientDescription {
  if (caller === undefined) return own;
  const { sampling } = own.capabilities;
  const { logLevel } = caller;
  const { extensions: _, ...others } = caller.capabilities;
  const tasks = extensionsIn(own.capabilities)[tasksExtension];
  const extensions = {
    ...relayedTo(offered, extensionsIn(caller.capabilities)),
    ...(tasks === undefined ? {} : { [tasksExtension]: tasks }),
  };
  return {
    info: (caller.info as ClientDescription["info"] | undefined) ?? own.info,
    capabilities: {
      // Where a caller has no model, ours answers.
      ...(answersHere && sampling !== undefined ? { sampling } : {}),
      ...others,
      ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    },
    ...(logLevel === undefined ? {} : { logLevel }),
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
  return {
    [`${metaPrefix}protocolVersion`]: modernVersion,
    [`${metaPrefix}clientCapabilities`]: capabilities,
    [`${metaPrefix}clientInfo`]: info,
    ...(logLevel === undefined ? {} : { [`${metaPrefix}logLevel`]: logLevel }),
  };
}

type Envelopes = {
  of: AsClient;
  answering: UnknownObject | undefined;
  asking: UnknownObject | undefined;
};

/** The calls of a client say the same of it each time, so it is put together once. */
function createEnvelopes(own: ClientDescription, offered: UnknownObject) {
  const plain = envelopeOf(own);
  const known = new WeakMap<AsClient, Envelopes>();
  return (
    { asClient, samples }: Pick<RequestOptions, "asClient" | "samples">,
    answersHere: boolean,
  ): UnknownObject => {
    const here = samples ? { ...own, capabilities: { ...own.capabilities, sampling: {} } } : own;
    if (asClient === undefined) return samples ? envelopeOf(here) : plain;
    const made = () => envelopeOf(inTheNameOf(asClient, here, answersHere, offered));
    if (samples) return made();
    const before = known.get(asClient);
    const isSame =
      before?.of.info === asClient.info &&
      before?.of.capabilities === asClient.capabilities &&
      before?.of.logLevel === asClient.logLevel;
    const entry: Envelopes =
      before && isSame ? before : { of: { ...asClient }, answering: undefined, asking: undefined };
    if (entry !== before) known.set(asClient, entry);
    if (answersHere) {
      entry.answering ??= made();
      return entry.answering;
    }
    entry.asking ??= made();
    return entry.asking;
  };
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
    failures = steadyNow() - startedAt >= listenAgain.maxMs ? 1 : failures + 1;
    await pause(backoffMs(listenAgain, failures), { signal: ended, isBackground: true });
  }
}
