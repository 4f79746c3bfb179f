import { TimeLimiter } from "../lib/async/time-limit.ts";
import { personHints } from "../model/errors.ts";
import type { StartPhase } from "../model/servers/server-schema.ts";
import type { Channel, TransportError } from "../protocol/message.ts";
import type { OpenedSession } from "./open-session.ts";

/** The steps of a start, in their order. */
export type Phase = StartPhase;

const phases: Readonly<Record<Phase, string>> = {
  start: "starting it",
  initialize: "the handshake (initialize)",
  "tools/list": "listing its tools (tools/list)",
};

export function phaseText(phase: Phase): string {
  return phases[phase];
}

/** `since` is a time as people read it. */
export function startText(phase: Phase, since: string): string {
  return `${phases[phase]} since ${since.slice(11, 19)} UTC`;
}

export type OpenSteps = {
  signal: AbortSignal;
  onOpened(channel: Channel): void;
  onClose(reason: TransportError): void;
  /** Its session takes no more requests. */
  onRetired(reason: TransportError): void;
  phase(entered: Phase): void;
  heard(text: string): void;
};

/** For servers that a program fetches before it starts them. */
export type Install = {
  limitMs: number;
  /** Started before, so that nothing should be left to fetch. */
  isInstalled(): Promise<boolean>;
  began(): void;
  heard(text: string): void;
};

type Ready = {
  opened: OpenedSession;
  toolCount: number;
  hasListed?: boolean;
  owesListing?: boolean;
};

export type OpenAttemptOptions = {
  connectTimeoutMs: number;
  install?: Install | undefined;
  /** Finds out what must be known before it can be used. */
  open(steps: OpenSteps): Promise<Ready>;
  leave(channel: Channel): void;
  onClose(reason: TransportError): void;
  onRetired(reason: TransportError): void;
};

/** Ends in time, and leaves nothing behind when it fails. */
export async function attemptToOpen(
  options: OpenAttemptOptions,
  callerSignal: AbortSignal,
): Promise<Ready> {
  const { connectTimeoutMs, install, leave } = options;
  const installMs = Math.max(connectTimeoutMs, install?.limitMs ?? 0);
  const limiter = new TimeLimiter(connectTimeoutMs, {
    capMs: installMs + connectTimeoutMs,
    caller: callerSignal,
  });
  const channels: Channel[] = [];
  let phase: Phase = "start";
  let earlyLoss: TransportError | undefined;
  let ready: Ready | undefined;
  let installing = "not" as "not" | "now" | "over";
  const beginInstall = () => {
    if (installing !== "not") return;
    installing = "now";
    limiter.extend(installMs);
    install?.began();
  };
  void install?.isInstalled().then((isInstalled) => {
    if (!isInstalled) beginInstall();
  });
  try {
    const candidate = await options.open({
      signal: limiter.signal,
      onOpened: (channel) => channels.push(channel),
      onClose(reason) {
        if (ready) options.onClose(reason);
        else earlyLoss = reason;
      },
      onRetired(reason) {
        if (ready) options.onRetired(reason);
        else earlyLoss = reason;
      },
      phase: (entered) => {
        phase = entered;
        if (entered !== "tools/list") return;
        // It has answered, so nothing is left to fetch.
        if (installing === "now") limiter.extend();
        installing = "over";
      },
      heard(text) {
        if (!install || installing === "over") return;
        // An emptied cache shows in the installer's output.
        beginInstall();
        install.heard(text);
      },
    });
    if (earlyLoss || limiter.isCancelled) candidate.opened.session.end();
    limiter.signal.throwIfAborted();
    if (earlyLoss) throw earlyLoss;
    for (const channel of channels) if (channel !== candidate.opened.channel) leave(channel);
    ready = candidate;
    return candidate;
  } catch (thrown) {
    channels.forEach(leave);
    if (!limiter.isExpired) throw thrown;
    if (installing === "now") throw timedOut("installing it", installMs, "installTimeoutMs");
    throw timedOut(phaseText(phase), connectTimeoutMs, "connectTimeoutMs");
  } finally {
    installing = "over";
    limiter.clear();
  }
}

function timedOut(step: string, limitMs: number, key: string): Error {
  return new Error(`${step} timed out after ${limitMs / 1000} s ('${key}'). ${personHints.doctor}`);
}
