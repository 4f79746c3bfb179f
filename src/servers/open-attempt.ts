import { limitTime } from "../lib/async/time-limit.ts";
import { personHints } from "../model/errors.ts";
import type { Channel, TransportError } from "../protocol/message.ts";
import type { OpenedSession } from "./open-session.ts";

export type OpenSteps = {
  signal: AbortSignal;
  onOpened(channel: Channel): void;
  onClose(reason: TransportError): void;
  /** What is being waited for, to be named when it takes too long. */
  phase(name: string): void;
  /** What the process writes to its standard error. */
  heard(text: string): void;
};

/** For servers that a program fetches before it starts them. */
export type Install = {
  /** Instead of the usual limit. */
  limitMs: number;
  /** Was it started before, so that nothing should be left to fetch? */
  isInstalled(): Promise<boolean>;
  began(): void;
  heard(text: string): void;
};

/** An open session with what was learned on the way. */
export type Ready = { opened: OpenedSession; toolCount: number; hasListed?: boolean; owesListing?: boolean };

export type AttemptOptions = {
  connectTimeoutMs: number;
  install?: Install | undefined;
  /** Opens the session and finds out what has to be known before it can be used. */
  open(steps: OpenSteps): Promise<Ready>;
  /** Ends a channel that was opened and is not used. */
  leave(channel: Channel): void;
  /** The session that came of it is over. */
  onClose(reason: TransportError): void;
};

/** One attempt to open a session. It ends in time, and leaves nothing behind when it fails. */
export async function attemptToOpen(options: AttemptOptions, given: AbortSignal): Promise<Ready> {
  const { connectTimeoutMs, install, leave } = options;
  const installMs = Math.max(connectTimeoutMs, install?.limitMs ?? 0);
  const limiter = limitTime(connectTimeoutMs, installMs + connectTimeoutMs, given);
  const channels: Channel[] = [];
  let phase = "start";
  let lostBefore: TransportError | undefined;
  let ready: Ready | undefined;
  let installing = "not" as "not" | "now" | "over";
  const beginInstall = () => {
    if (installing !== "not") return;
    installing = "now";
    limiter.extend(installMs);
    install?.began();
  };
  void install?.isInstalled().then((isInstalled) => isInstalled || beginInstall());
  try {
    const found = await options.open({
      signal: limiter.signal,
      onOpened: (channel) => channels.push(channel),
      onClose(reason) {
        if (ready) options.onClose(reason);
        else lostBefore = reason;
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
        // A cache that was emptied shows by what the installer says.
        beginInstall();
        install.heard(text);
      },
    });
    if (lostBefore || limiter.signal.aborted) found.opened.session.end();
    limiter.signal.throwIfAborted();
    if (lostBefore) throw lostBefore;
    for (const channel of channels) if (channel !== found.opened.channel) leave(channel);
    ready = found;
    return found;
  } catch (thrown) {
    channels.forEach(leave);
    if (!limiter.expired()) throw thrown;
    const [what, ms, key] =
      installing === "now"
        ? ["installing it", installMs, "installTimeoutMs"]
        : [phase, connectTimeoutMs, "connectTimeoutMs"];
    throw new Error(`${what} timed out after ${ms / 1000} s ('${key}'). ${personHints.doctor}`);
  } finally {
    installing = "over";
    limiter.clear();
  }
}
