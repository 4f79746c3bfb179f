import { backoffMs } from "../../../src/lib/async/pause.ts";
import { ApiError } from "../api/client.ts";
import { followEvents, type LiveEvent } from "../api/event-stream.ts";

export type News =
  | ({ kind: "event" } & LiveEvent)
  /** `isFirst`: nobody has listened before, so nobody can have missed anything that was heard. */
  | { kind: "state"; state: "open"; isFirst: boolean }
  | { kind: "state"; state: "lost" }
  /** Whoever asks has to say who they are. */
  | { kind: "refused" };

const name = "toolplane.events";
const retry = { firstMs: 500, maxMs: 8_000 };

/**
 * Follows the events until the returned function is called. A browser opens six connections to a host and no more, so
 * of all tabs one listens to the plane and tells the others; when it is closed, the next one goes on where it was.
 */
export function followTogether(onNews: (news: News) => void): () => void {
  const stopped = new AbortController();
  const { signal } = stopped;
  const channel = new BroadcastChannel(name);
  let after: string | null = null;
  const hear = (news: News) => {
    if (news.kind === "event") after = news.id;
    onNews(news);
  };
  const tell = (news: News) => {
    if (signal.aborted) return;
    hear(news);
    channel.postMessage(news);
  };
  channel.onmessage = ({ data }: MessageEvent<News>) => hear(data);
  const lead = (isFirst: boolean) => keepFollowing(isFirst, () => after, signal, tell);
  takeTurns(lead, signal).catch(() => undefined);
  return () => {
    stopped.abort();
    channel.close();
  };
}

/** Leads at once, or as soon as no other tab does. Then events may have passed that nobody has heard. */
async function takeTurns(lead: (isFirst: boolean) => Promise<void>, signal: AbortSignal): Promise<void> {
  // Locks are there only where a page is trusted: on this machine, or with https.
  if (!navigator.locks) return lead(true);
  const hasLed = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock !== null) await lead(true);
    return lock !== null;
  });
  if (!hasLed) await navigator.locks.request(name, { signal }, () => lead(false));
}

async function keepFollowing(
  isFirst: boolean,
  after: () => string | null,
  signal: AbortSignal,
  tell: (news: News) => void,
): Promise<void> {
  let failures = 0;
  let hasBeenOpen = false;
  const onOpen = () => {
    failures = 0;
    tell({ kind: "state", state: "open", isFirst: isFirst && !hasBeenOpen });
    hasBeenOpen = true;
  };
  while (!signal.aborted) {
    try {
      await followEvents(after(), signal, onOpen, (event) => tell({ kind: "event", ...event }));
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 401) return tell({ kind: "refused" });
    }
    if (signal.aborted) return;
    tell({ kind: "state", state: "lost" });
    failures += 1;
    await pause(backoffMs(retry, failures), signal);
  }
}

/** Or until the network is back. */
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
