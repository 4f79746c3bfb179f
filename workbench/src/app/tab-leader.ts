import { backoffMs } from "../../../src/lib/async/pause.ts";
import { ApiError } from "../api/client.ts";
import { followEvents, type LiveEvent } from "../api/event-stream.ts";

export type TabMessage =
  | ({ kind: "event" } & LiveEvent)
  | { kind: "state"; state: "open" | "lost" }
  /** The plane requires credentials. */
  | { kind: "refused" };

const name = "toolplane.events";
const retry = { firstMs: 500, maxMs: 8_000 };

/**
 * Follows the events after `begin` until the returned function is called. A browser opens at most six connections to a host, so one
 * tab, the leader, holds the stream and broadcasts to the others. When it closes, the next tab continues from there.
 */
export function shareEvents(begin: number, onMessage: (message: TabMessage) => void): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const channel = new BroadcastChannel(name);
  let after = String(begin);
  const receive = (message: TabMessage) => {
    if (message.kind === "event") after = message.id;
    onMessage(message);
  };
  const broadcast = (message: TabMessage) => {
    if (signal.aborted) return;
    receive(message);
    channel.postMessage(message);
  };
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => receive(data);
  const lead = () => keepFollowing(() => after, signal, broadcast);
  electLeader(lead, signal).catch(() => undefined);
  return () => {
    stopping.abort();
    channel.close();
  };
}

/** Leads at once, or as soon as no other tab does. */
async function electLeader(lead: () => Promise<void>, signal: AbortSignal): Promise<void> {
  // Locks exist only in a secure context: localhost or https.
  if (!navigator.locks) return lead();
  await navigator.locks.request(name, { signal }, lead);
}

async function keepFollowing(
  after: () => string,
  signal: AbortSignal,
  broadcast: (message: TabMessage) => void,
): Promise<void> {
  let failures = 0;
  const onOpen = () => {
    failures = 0;
    broadcast({ kind: "state", state: "open" });
  };
  while (!signal.aborted) {
    const { doubt, settle } = doubtWhenOffline();
    try {
      const until = AbortSignal.any([signal, doubt]);
      await followEvents(after(), until, onOpen, (event) => broadcast({ kind: "event", ...event }));
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 401)
        return broadcast({ kind: "refused" });
    } finally {
      settle();
    }
    if (signal.aborted) return;
    // A plane on this machine answers without a network, and then nothing is lost.
    if (doubt.aborted) continue;
    broadcast({ kind: "state", state: "lost" });
    failures += 1;
    await pause(backoffMs(retry, failures), signal);
  }
}

/** Without a network an open stream is silent for minutes before it breaks, so that it is opened again at once. */
function doubtWhenOffline(): { doubt: AbortSignal; settle: () => void } {
  const doubting = new AbortController();
  const onOffline = () => doubting.abort();
  window.addEventListener("offline", onOffline);
  return { doubt: doubting.signal, settle: () => window.removeEventListener("offline", onOffline) };
}

/** Waits, or until the network is back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      window.removeEventListener("online", done);
      resolve();
    }
    signal.addEventListener("abort", done);
    window.addEventListener("online", done);
  });
}
