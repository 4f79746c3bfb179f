import { streamSSE } from "hono/streaming";
import type { Caller, Plane } from "../../model/plane.ts";
import type { ServerLogLine } from "../../model/server.ts";
import type { WhoAsks } from "./ask-again.ts";
import type { HttpContext } from "./route.ts";

/** Proxies close what is silent for too long. */
const keepAliveMs = 15_000;
/** What comes within this time is told together. */
const gatherMs = 100;
/** Of a flood the end is told. */
const maxAtOnce = 1_000;

type Following = { server: string; caller: Caller; again: WhoAsks; closing: AbortSignal };

/** What a server wrote and writes, until somebody leaves or the server is another one. */
export function streamLogs(c: HttpContext, plane: Plane, following: Following): Response {
  const { server, caller, again, closing } = following;
  let waiting: ServerLogLine[] = [];
  let wake = Promise.withResolvers<void>();
  // Before the answer begins, so that who may not read it is told so with a status.
  const { lines, stop } = plane.followLogs(
    server,
    (line) => {
      waiting.push(line);
      if (waiting.length > maxAtOnce) waiting.shift();
      wake.resolve();
    },
    caller,
  );
  return streamSSE(c, async (stream) => {
    let isOver = false;
    const end = () => {
      isOver = true;
      wake.resolve();
    };
    const leave = plane.on("config.changed", ({ changed, removed }) => {
      if ([...changed, ...removed].includes(server)) end();
    });
    stream.onAbort(end);
    closing.addEventListener("abort", end, { once: true });
    const silence = setInterval(() => wake.resolve(), keepAliveMs);
    try {
      await stream.writeSSE({ event: "kept", data: JSON.stringify(lines) });
      while (!isOver && !closing.aborted) {
        await wake.promise;
        await new Promise((resolve) => setTimeout(resolve, gatherMs));
        const added = waiting;
        waiting = [];
        wake = Promise.withResolvers();
        if ((await again()) === null) break;
        if (isOver) break;
        if (added.length === 0) await stream.write(": still here\n\n");
        else await stream.writeSSE({ event: "added", data: JSON.stringify(added) });
      }
    } finally {
      clearInterval(silence);
      closing.removeEventListener("abort", end);
      leave();
      stop();
    }
  });
}
