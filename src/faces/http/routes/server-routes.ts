import { z } from "@hono/zod-openapi";
import { askAgain } from "../ask-again.ts";
import type { Identities } from "../identity.ts";
import { streamLogs } from "../log-stream.ts";
import { NextCursor, Page, takePage } from "../paging.ts";
import { type App, addRoute } from "../route.ts";
import { Locked } from "../schemas/locked.ts";
import { LogLine, RefreshReport, Server } from "../schemas/server.ts";
import { wantsStream } from "../wants-stream.ts";

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
              .openapi({ description: "Those that are not for the caller and may be told of." }),
          }),
        },
      },
    },
    async ({ c, caller, query }) => {
      const { items, total, nextCursor } = takePage(await plane.servers(caller), ({ name }) => name, query);
      const locked = query.cursor === undefined ? await plane.lockedServers(caller) : [];
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
    async ({ c, caller, param }) => c.json(await plane.server(param("name"), caller)),
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
        await plane[verb](param("name"));
        return c.json(await plane.server(param("name"), caller));
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
    async ({ c, param }) => c.json(await plane.refresh(param("name"))),
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
        : c.json({ server: param("name"), lines: await plane.logs(param("name"), caller) }),
  );
}
