import { streamSSE } from "hono/streaming";
import type { z } from "zod";
import type { ServerLogLine } from "../../model/servers/server-schema.ts";
import { createCallerCheck, type Identities } from "./callers/identity.ts";
import { keepAliveMs, type RouteRequest } from "./route.ts";

/** Lines within this time are sent together. */
const gatherMs = 100;
/** Of more lines, the last ones are sent. */
const maxAtOnce = 1_000;

/** What a server wrote and writes, until the client leaves or the server is defined again. */
export function streamLogs(
  identities: Identities,
  { c, caller }: RouteRequest<z.ZodObject>,
  server: string,
  closing: AbortSignal,
): Response {
  const { plane } = identities;
  const checkCaller = createCallerCheck(identities, c, caller, "admin");
  let waiting: ServerLogLine[] = [];
  let wake = Promise.withResolvers<void>();
  // Before the answer begins, so that a refusal still has a status.
  const { lines, stop } = plane.servers.followLogs(
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
        if ((await checkCaller()) === null) break;
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
