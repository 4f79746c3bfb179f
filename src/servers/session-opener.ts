import { version } from "../lib/version.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { UnknownObject } from "../model/json.ts";
import type { ServerDefinition } from "../model/server.ts";
import type { AnswerRequest } from "../protocol/questions-from-peer.ts";
import type { Era } from "../protocol/session.ts";
import { createDefaultAnswers } from "./default-answers.ts";
import type { ProcessGuard } from "./guard.ts";
import { listenToServer } from "./listen-to-server.ts";
import type { OpenSteps } from "./open-attempt.ts";
import { type Access, type OpenedSession, openSession } from "./open-session.ts";
import type { ServerLog } from "./server-log.ts";

/** A verdict that a server is old fails silently when it is renewed, so it is asked again now and then. */
const legacyVerdictMs = 7 * 24 * 3_600_000;

const asksTheCaller = new Set(["elicitation/create", "sampling/createMessage", "roots/list"]);

export type Verdict = { era: Era; at: number };

export type OpenerOptions = {
  name: string;
  definition: ServerDefinition;
  environment: Readonly<Record<string, string | undefined>>;
  resolve(definition: ServerDefinition): Promise<ServerDefinition>;
  /** Who asks in the name of this user. */
  access(user: string | null, resolved: ServerDefinition): Access;
  /** What we can answer when a server asks. */
  capabilities: UnknownObject;
  /** What of that we can answer without whoever calls, where that is less. */
  ownCapabilities?: UnknownObject | undefined;
  log: ServerLog;
  emit(event: PlaneEvent): void;
  guard: ProcessGuard;
  /** One start of a process at a time, so that many of them leave room for other work. */
  turn(): Promise<void>;
  /** Resolves when what was remembered has been taken over. */
  recalled(): Promise<void>;
  onListChanged(list: string): void;
  onSaid(user: string | null, method: string, params: UnknownObject): void;
};

export type SessionOpener = {
  open(user: string | null, steps: OpenSteps): Promise<OpenedSession>;
  /** What it spoke the last time. */
  verdict(): Verdict | null;
  remember(verdict: Verdict): void;
  noise(): number;
  /** Asks the caller what is for the caller, and answers the rest. */
  answering(caller: AnswerRequest | undefined): AnswerRequest;
};

/** Opens sessions with one server and listens to what it says beside its answers. */
export function createSessionOpener(options: OpenerOptions): SessionOpener {
  const { name, definition, log } = options;
  const { protocol } = definition;
  let answerByItself = createDefaultAnswers([]);
  let verdict: Verdict | null = null;
  let noise = 0;

  function known(): Era | undefined {
    if (protocol !== "auto") return protocol;
    if (verdict?.era === "legacy" && Date.now() - verdict.at > legacyVerdictMs) return undefined;
    return verdict?.era;
  }

  /** Asked when the server is being started already, so that neither waits for the other. */
  async function asKnown(): Promise<Era | undefined> {
    await options.recalled().catch(() => undefined);
    return known();
  }

  const listen = (user: string | null) =>
    listenToServer({
      server: name,
      log: log.of(user),
      maxMessageBytes: definition.maxMessageBytes,
      logLevel: definition.logLevel,
      emit: options.emit,
      onListChanged: options.onListChanged,
      onSaid: (method, params) => options.onSaid(user, method, params),
      onNoise() {
        noise += 1;
      },
    });

  return {
    async open(user, { signal, onOpened, onClose, phase, heard }) {
      phase("start");
      const resolved = await options.resolve(definition);
      const { roots } = resolved;
      const told = roots.length > 0 ? { roots: {} } : {};
      const capabilities = { ...told, ...options.capabilities };
      const own = options.ownCapabilities && { ...told, ...options.ownCapabilities };
      const { logLevel } = definition;
      const client = {
        info: { name: "toolplane", version },
        capabilities,
        ...(own ? { own } : {}),
        ...(logLevel ? { logLevel } : {}),
      };
      answerByItself = createDefaultAnswers(roots);
      if (resolved.transport === "stdio") {
        await options.turn();
        options.guard.prepare();
      }
      phase("initialize");
      const { environment } = options;
      const access = options.access(user, resolved);
      const listening = listen(user);
      const onStderr = (text: string) => {
        listening.onStderr?.(text);
        heard(text);
      };
      const opened = await openSession(
        {
          definition: resolved,
          environment,
          access,
          client,
          known: asKnown,
          isFixed: protocol !== "auto",
          signal,
          onOpened,
        },
        { ...listening, onStderr, onProcess: options.guard.watch, onClose, onRequest: answerByItself },
      );
      if (verdict?.era !== opened.session.era) verdict = { era: opened.session.era, at: Date.now() };
      return opened;
    },
    verdict: () => verdict,
    remember(earlier) {
      verdict ??= earlier;
    },
    noise: () => noise,
    answering: (caller) => (method, params, signal) => {
      const isSettled = method === "roots/list" && definition.roots.length > 0;
      return caller && asksTheCaller.has(method) && !isSettled
        ? caller(method, params, signal)
        : answerByItself(method, params, signal);
    },
  };
}
