import { limitTime } from "../lib/time-limit.ts";
import type { Channel, TransportError } from "../protocol/message.ts";
import type { OpenedSession } from "./open-session.ts";

export type OpenSteps = {
  signal: AbortSignal;
  onOpened(channel: Channel): void;
  onClose(reason: TransportError): void;
  /** What is being waited for, to be named when it takes too long. */
  phase(name: string): void;
};

/** An open session with what was learned on the way. */
export type Ready = { opened: OpenedSession; toolCount: number; hasListed?: boolean; owesListing?: boolean };

export type AttemptOptions = {
  connectTimeoutMs: number;
  /** Opens the session and finds out what has to be known before it can be used. */
  open(steps: OpenSteps): Promise<Ready>;
  /** Ends a channel that was opened and is not used. */
  leave(channel: Channel): void;
  /** The session that came of it is over. */
  onClose(reason: TransportError): void;
};

/** One attempt to open a session. It ends in time, and leaves nothing behind when it fails. */
export async function attemptToOpen(options: AttemptOptions, given: AbortSignal): Promise<Ready> {
  const { connectTimeoutMs, leave } = options;
  const limiter = limitTime(connectTimeoutMs, connectTimeoutMs, given);
  const channels: Channel[] = [];
  let phase = "start";
  let lostBefore: TransportError | undefined;
  let ready: Ready | undefined;
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
    const waited = `${phase} timed out after ${connectTimeoutMs / 1000} s ('connectTimeoutMs')`;
    throw new Error(`${waited}. 'toolplane doctor' says what to try`);
  } finally {
    limiter.clear();
  }
}
