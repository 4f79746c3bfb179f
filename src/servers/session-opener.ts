import { sizeText } from "../lib/text/wording.ts";
import { version } from "../lib/version.ts";
import { personHints } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { UnknownObject } from "../model/json.ts";
import { logLevels, type ServerDefinition } from "../model/servers/server.ts";
import { extensionsIn, isExtensionMethod } from "../protocol/extensions.ts";
import {
  type AnswerRequest,
  type Channel,
  invalidAnswer,
  RpcError,
  TransportError,
} from "../protocol/message.ts";
import type { MessageTap } from "../protocol/peer.ts";
import type { ClientDescription, Era } from "../protocol/session.ts";
import type { OpenSteps } from "./open-attempt.ts";
import {
  type OpenedSession,
  openSession,
  type RequestCredentials,
  type SessionHandlers,
} from "./open-session.ts";
import type { ProcessGuard } from "./process-guard.ts";
import type { ServerLog } from "./server-log.ts";
import type { ServerPackages } from "./transports/packages.ts";

/** A verdict that a server is old fails silently when it is renewed, so it is asked again now and then. */
const legacyVerdictMs = 7 * 24 * 3_600_000;

const asksTheCaller = new Set(["elicitation/create", "sampling/createMessage", "roots/list"]);

/** With the extensions that it declares. */
export type DetectedEra = { era: Era; at: number; extensions?: UnknownObject };

export type OpenerOptions = {
  name: string;
  definition: ServerDefinition;
  environment: Readonly<Record<string, string | undefined>>;
  resolve(definition: ServerDefinition): Promise<ServerDefinition>;
  packages: ServerPackages;
  /** Who asks in the name of this user. */
  access(user: string | null, resolved: ServerDefinition): RequestCredentials;
  capabilities: UnknownObject;
  ownCapabilities?: UnknownObject | undefined;
  /** What the plane declares to servers of both eras, and what clients have declared to it. */
  extensions?: { own: UnknownObject; ofClients(): UnknownObject } | undefined;
  log: ServerLog;
  recorder: MessageTap;
  emit(event: PlaneEvent): void;
  guard: ProcessGuard;
  /** One start of a process at a time, so that many of them leave room for other work. */
  turn(): Promise<void>;
  /** Resolves when what was remembered has been taken over. */
  recalled(): Promise<void>;
  onListChanged(list: string, user: string | null): void;
  onNotification(user: string | null, method: string, params: UnknownObject): void;
};

export function createSessionOpener(options: OpenerOptions) {
  const { definition } = options;
  const { protocol } = definition;
  let answerByItself = createDefaultAnswers([]);
  let verdict = null as DetectedEra | null;
  let noise = 0;
  /** Attempts in a row that failed; the first tried both eras, each further one tries one of them. */
  let failedOpenings = 0;
  /** It speaks the later era alone. */
  let refusesLegacy = false;

  /** Asked when the server is being started already, so that neither waits for the other. */
  async function knownEra(): Promise<Era | undefined> {
    await options.recalled().catch(() => undefined);
    if (protocol !== "auto") return protocol;
    if (verdict === null && failedOpenings % 2 === 1) return "legacy";
    if (verdict?.era === "legacy" && Date.now() - verdict.at > legacyVerdictMs) return undefined;
    return verdict?.era;
  }

  function speaksBoth(): boolean {
    return protocol === "auto" && verdict?.era === "modern" && !refusesLegacy;
  }

  return {
    /** `wantedEra` by a client, of a server that speaks both. */
    async open(user: string | null, steps: OpenSteps, wantedEra?: Era): Promise<OpenedSession> {
      steps.phase("start");
      const resolved = await options.resolve(definition);
      answerByItself = createDefaultAnswers(resolved.roots);
      if (resolved.transport === "stdio") {
        await options.turn();
        options.guard.prepare();
      }
      const listener = listenToServer(options, user, () => {
        noise += 1;
      });
      const handlers = {
        ...listener,
        onStderr(text: string) {
          listener.onStderr(text);
          steps.heard(text);
        },
        onProcess: options.guard.watch,
        onClose: steps.onClose,
        onRetired: steps.onRetired,
        recorded: { by: options.recorder, session: { user } },
        onRequest: answerByItself,
      };
      const { environment, packages } = options;
      const access = options.access(user, resolved);
      const { signal } = steps;
      const onOpened = (channel: Channel) => {
        steps.onOpened(channel);
        steps.phase("initialize");
      };
      const isOnlyEra = failedOpenings > 0 && resolved.transport === "stdio";
      const negotiation = {
        known: knownEra,
        isFixed: protocol !== "auto",
        isOnlyEra,
        client: describeUs(options, resolved.roots),
      };
      const base = { definition: resolved, environment, access, packages, signal, onOpened };
      if (wantedEra === "legacy" && speaksBoth()) {
        const older = { ...base, ...negotiation, known: async (): Promise<Era> => "legacy" };
        try {
          return await openSession({ ...older, isOnlyEra: true }, handlers);
        } catch (thrown) {
          const isProcess = resolved.transport === "stdio";
          refusesLegacy = signal.aborted ? isSilence(signal) : isRefusal(thrown, isProcess);
          if (signal.aborted || !refusesLegacy) throw thrown;
        }
      }
      const opened = await openSession({ ...base, ...negotiation }, handlers).catch((thrown) => {
        if (resolved.transport === "stdio" && !signal.aborted) failedOpenings += 1;
        throw thrown;
      });
      failedOpenings = 0;
      const { era, capabilities } = opened.session;
      const detectedAt = verdict?.era === era ? verdict.at : Date.now();
      verdict = { era, at: detectedAt, extensions: extensionsIn(capabilities) };
      return opened;
    },
    verdict: () => verdict,
    speaksBoth,
    refusesLegacy: () => refusesLegacy,
    remember(earlier: DetectedEra): void {
      verdict ??= earlier;
    },
    noise: () => noise,
    /** Asks the caller what is for the caller, and answers the rest. */
    answering:
      (caller: AnswerRequest | undefined): AnswerRequest =>
      (method, params, signal) => {
        const isSettled = method === "roots/list" && definition.roots.length > 0;
        const isForCaller = asksTheCaller.has(method) || isExtensionMethod(method);
        const answer = caller && isForCaller && !isSettled ? caller : answerByItself;
        return answer(method, params, signal);
      },
  };
}

/** The limit ended it, and no one who closes it: the next try is made in the later era. */
function isSilence({ reason }: AbortSignal): boolean {
  return !(reason instanceof DOMException);
}

/** Does it show that the server does not speak the older era? A process may also end at the handshake. */
function isRefusal(thrown: unknown, isProcess: boolean): boolean {
  if (thrown instanceof TransportError)
    return isProcess || [400, 404, 405].includes(thrown.status ?? 0);
  return thrown instanceof RpcError || (thrown as Error).cause instanceof RpcError;
}

/** A server of the older era hears once of extensions, so it hears of all that clients have. */
function describeUs(
  { ownCapabilities, capabilities, extensions, definition }: OpenerOptions,
  roots: readonly string[],
) {
  const rootsCapability = roots.length > 0 ? { roots: {} } : {};
  const ownExtensions = extensions?.own ?? {};
  return {
    info: { name: "toolplane", version },
    capabilities: {
      ...rootsCapability,
      ...capabilities,
      ...extensionsField({ ...extensions?.ofClients(), ...ownExtensions }),
    },
    ...(ownCapabilities && {
      own: { ...rootsCapability, ...ownCapabilities, ...extensionsField(ownExtensions) },
    }),
    ...(definition.logLevel && { logLevel: definition.logLevel }),
  } satisfies ClientDescription;
}

function extensionsField(extensions: UnknownObject): { extensions?: UnknownObject } {
  return Object.keys(extensions).length === 0 ? {} : { extensions };
}

/** Malformed lines of a session that are reported one by one; of more, the tenth, the hundredth and so on. */
const maxReportedLines = 5;

/** What it says beside its answers, in one session. */
function listenToServer(options: OpenerOptions, user: string | null, onNoise: () => void) {
  const { name: server, definition } = options;
  const { maxMessageBytes, logLevel = "debug" } = definition;
  const log = options.log.of(user);
  let lines = 0;

  function takeLog({ level, data }: UnknownObject): void {
    const severity = logLevels.find((candidate) => candidate === level) ?? "info";
    // What is less serious is not kept.
    if (logLevels.indexOf(severity) < logLevels.indexOf(logLevel)) return;
    log.add({
      source: "log",
      level: severity,
      text: typeof data === "string" ? data : JSON.stringify(data ?? null),
    });
    options.emit({ type: "server.log", server, level: severity });
  }

  return {
    onNotification(method, params, isHeard) {
      const [, list] =
        /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method) ?? [];
      if (method === "notifications/message") takeLog(params);
      else log.add({ source: "notification", text: renderNotification(method, params) });
      // Clients are notified after the list was fetched again.
      if (list !== undefined) return options.onListChanged(list, user);
      if (!isHeard) options.onNotification(user, method, params);
    },
    onStderr: log.addText,
    onNoise(text) {
      onNoise();
      log.add({ source: "noise", text });
      lines += 1;
      if (lines > maxReportedLines && !/^10+$/.test(String(lines))) return;
      const message = `Protocol error: malformed line (${lines} in this session). ${personHints.serverLogs(server)}`;
      options.emit({ type: "server.error", server, message });
    },
    onTooLarge: (bytes) =>
      invalidAnswer(`its answer ${sizeAbove(bytes, maxMessageBytes)} ('maxMessageBytes')`, {
        tooLarge: true,
      }),
  } satisfies Partial<SessionHandlers>;
}

/** Sizes that look the same in short are no reason. */
function sizeAbove(bytes: number, limit: number): string {
  const [size, limitText] = [sizeText(bytes), sizeText(limit)];
  if (size === limitText) return `is a little above the limit of ${limitText}`;
  return `of ${size} exceeds the limit of ${limitText}`;
}

function renderNotification(method: string, { uri }: UnknownObject): string {
  const name = method.replace(/^notifications\//, "");
  return typeof uri === "string" ? `${name} ${uri}` : name;
}

/** Answers to server requests that no caller can answer: declined at once. */
export function createDefaultAnswers(roots: readonly string[]): AnswerRequest {
  return async (method) => {
    if (method === "roots/list")
      return { roots: roots.map((uri) => ({ uri, name: lastPart(uri) })) };
    if (method === "elicitation/create") return { action: "cancel" };
    if (method === "sampling/createMessage")
      throw new RpcError(
        -1,
        "No model is configured that could answer, or it is not clear for which call.",
      );
    throw new RpcError(-32601, `Method not found: ${method}`);
  };
}

function lastPart(uri: string): string {
  const part =
    uri
      .replace(/(?<!\/)\/+$/, "")
      .split("/")
      .at(-1) ?? uri;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
