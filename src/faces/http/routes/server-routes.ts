import { streamSSE } from "hono/streaming";
import { z } from "zod";
import type { Caller, Plane } from "../../../model/plane.ts";
import type { ServerLogLine } from "../../../model/servers/server.ts";
import { LogLine } from "../../../operations/schemas/server.ts";
import { askAgain, type WhoAsks } from "../ask-again.ts";
import type { Identities } from "../identity.ts";
import { type App, addRoute, type HttpContext } from "../route.ts";
import { wantsStream } from "../wants-stream.ts";

/** Proxies close what is silent for too long. */
const keepAliveMs = 15_000;
/** Lines within this time are sent together. */
const gatherMs = 100;
/** Of more lines, the last ones are sent. */
const maxAtOnce = 1_000;

type Following = { server: string; caller: Caller; again: WhoAsks; closing: AbortSignal };

/** What a server wrote and writes, until the client leaves or the server is defined anew. */
function streamLogs(c: HttpContext, plane: Plane, following: Following): Response {
  const { server, caller, again, closing } = following;
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

const params = { name: "The server's name in the configuration." };

/** The logs of servers, which can be followed. */
export function addServerRoutes(app: App, identities: Identities, closing: AbortSignal): void {
  const { plane } = identities;
  addRoute(
    app,
    {
      ...{ method: "get", path: "/servers/{name}/logs", tag: "Servers", scope: "admin", params },
      summary: "The last things a server wrote to its standard error or logged",
      description:
        "With `Accept: text/event-stream` they are followed: `kept` has what there is, `added` what comes, each a list of lines.",
      answers: {
        200: {
          description: "Oldest first.",
          schema: z.object({ server: z.string(), lines: z.array(LogLine) }),
          also: ["text/event-stream"],
        },
      },
    },
    async ({ c, caller, param }) =>
      wantsStream(c)
        ? streamLogs(c, plane, {
            ...{ server: param("name"), caller, closing },
            again: askAgain(identities, c, caller, "admin"),
          })
        : c.json({ server: param("name"), lines: await plane.servers.logs(param("name"), caller) }),
  );
}
