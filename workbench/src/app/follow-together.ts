import { ApiError } from "../api/client.ts";
import { followEvents, type LiveEvent } from "../api/event-stream.ts";

export type News =
  | ({ kind: "event" } & LiveEvent)
  | { kind: "state"; state: "open" | "lost" }
  /** Whoever asks has to say who they are. */
  | { kind: "refused" };

const name = "toolplane.events";
const retryMs = [500, 1_000, 2_000, 4_000, 8_000];

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
  const lead = () => keepFollowing(() => after, signal, tell);
  // Locks are there only where a page is trusted: on this machine, or with https.
  const leading = navigator.locks ? navigator.locks.request(name, { signal }, lead) : lead();
  leading.catch(() => undefined);
  return () => {
    stopped.abort();
    channel.close();
  };
}

async function keepFollowing(
  after: () => string | null,
  signal: AbortSignal,
  tell: (news: News) => void,
): Promise<void> {
  let failures = 0;
  const onOpen = () => {
    failures = 0;
    tell({ kind: "state", state: "open" });
  };
  while (!signal.aborted) {
    try {
      await followEvents(after(), signal, onOpen, (event) => tell({ kind: "event", ...event }));
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status === 401) return tell({ kind: "refused" });
    }
    if (signal.aborted) return;
    tell({ kind: "state", state: "lost" });
    await pause(retryMs[Math.min(failures, retryMs.length - 1)] ?? 0, signal);
    failures += 1;
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
