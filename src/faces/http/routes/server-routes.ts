import { streamSSE } from "hono/streaming";
import { z } from "zod";
import type { Caller, Plane } from "../../../model/plane.ts";
import type { ServerLogLine } from "../../../model/servers/server.ts";
import { NextCursor, Page, takePage } from "../../../operations/fields.ts";
import { Locked } from "../../../operations/schemas/locked.ts";
import { LogLine, RefreshReport, Server } from "../../../operations/schemas/server.ts";
import { askAgain, type WhoAsks } from "../ask-again.ts";
import type { Identities } from "../identity.ts";
import { type App, addRoute, type HttpContext } from "../route.ts";
import { wantsStream } from "../wants-stream.ts";

/** Proxies close what is silent for too long. */
const keepAliveMs = 15_000;
/** What comes within this time is told together. */
const gatherMs = 100;
/** Of a flood the end is told. */
const maxAtOnce = 1_000;

type Following = { server: string; caller: Caller; again: WhoAsks; closing: AbortSignal };

/** What a server wrote and writes, until somebody leaves or the server is another one. */
function streamLogs(c: HttpContext, plane: Plane, following: Following): Response {
  const { server, caller, again, closing } = following;
  let waiting: ServerLogLine[] = [];
  let wake = Promise.withResolvers<void>();
  // Before the answer begins, so that who may not read it is told so with a status.
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
const verbs = {
  connect: "Connect a server and keep it connected",
  disconnect: "End a server's sessions; it stays away until it is connected again",
} as const;

/** The servers behind the plane. Whoever may not use one does not see it. */
export function addServerRoutes(app: App, identities: Identities, closing: AbortSignal): void {
  const { plane } = identities;
  addRoute(
    app,
    {
      ...{ method: "get", path: "/servers", tag: "Servers", scope: "read", query: Page },
      summary: "The servers the caller may use, by name",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({
            servers: z.array(Server),
            total: z.number().int(),
            nextCursor: NextCursor,
            locked: z
              .array(Locked)
              .optional()
              .meta({ description: "Those that are not for the caller and may be told of." }),
          }),
        },
      },
    },
    async ({ c, caller, query }) => {
      const { items, total, nextCursor } = takePage(await plane.servers.list(caller), ({ name }) => name, query);
      const locked = query.cursor === undefined ? await plane.servers.locked(caller) : [];
      return c.json({ servers: items, total, nextCursor, ...(locked.length === 0 ? {} : { locked }) });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/servers/{name}", tag: "Servers", scope: "read", params },
      summary: "One server",
      answers: { 200: { description: "Its state.", schema: Server } },
    },
    async ({ c, caller, param }) => c.json(await plane.servers.get(param("name"), caller)),
  );
  for (const verb of ["connect", "disconnect"] as const) {
    addRoute(
      app,
      {
        ...{ method: "post", path: `/servers/{name}/${verb}`, tag: "Servers", scope: "admin", params },
        summary: verbs[verb],
        answers: { 200: { description: "Its state afterwards.", schema: Server } },
      },
      async ({ c, caller, param }) => {
        await plane.servers[verb](param("name"));
        return c.json(await plane.servers.get(param("name"), caller));
      },
    );
  }
  addRoute(
    app,
    {
      ...{ method: "post", path: "/servers/{name}/refresh", tag: "Servers", scope: "admin", params },
      summary: "Really ask a server for its tools",
      answers: { 200: { description: "What came of it.", schema: RefreshReport } },
    },
    async ({ c, param }) => c.json(await plane.servers.refresh(param("name"))),
  );
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
