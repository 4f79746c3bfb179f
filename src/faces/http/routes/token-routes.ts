import { z } from "zod";
import type { TokenGiven } from "../../../model/access/credentials.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { Done } from "../../../operations/schemas/done.ts";
import { TokenStatus } from "../../../operations/schemas/server.ts";
import { parseBody } from "../body.ts";
import { NextCursor, Page, takePage } from "../paging.ts";
import { type App, addRoute } from "../route.ts";

const params = { name: "The server's name in the configuration." };
const Tokens = z.object({ tokens: z.array(TokenStatus), nextCursor: NextCursor });
const keyOf = ({ server, kind }: { server: string; kind: string }) => `${server} ${kind}`;

/** The tokens of the one who asks. */
export function addTokenRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tokens", tag: "Sign-in", scope: "read", query: Page },
      summary: "The tokens that are kept for the caller, without the tokens",
      answers: { 200: { description: "One page.", schema: Tokens } },
    },
    async ({ c, caller, query }) => {
      const { items, nextCursor } = takePage(await plane.tokens.list(caller), keyOf, query);
      return c.json({ tokens: items, nextCursor });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "put", path: "/servers/{name}/token", tag: "Sign-in", scope: "call", params },
      summary: "Give a token of your own for a server",
      body: {
        schema: z.object({
          token: z.string().min(1),
          expiresAt: z.string().optional(),
          scopes: z.array(z.string()).optional(),
        }),
        description: "It is sealed before it is kept.",
        example: { token: "…", expiresAt: "2027-01-31T12:00:00Z" },
      },
      answers: { 200: { description: "What is kept now.", schema: Tokens } },
    },
    async ({ c, caller, param }) => {
      await plane.servers.get(param("name"), caller);
      await plane.tokens.set(param("name"), parseToken(await c.req.text()), caller);
      return c.json({ tokens: await plane.tokens.list(caller), nextCursor: null });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "delete", path: "/servers/{name}/token", tag: "Sign-in", scope: "call", params },
      summary: "Forget your token for a server",
      answers: { 200: { description: "`ok` is false when there was none.", schema: Done } },
    },
    async ({ c, caller, param }) => {
      await plane.servers.get(param("name"), caller);
      return c.json({ ok: await plane.tokens.forget(param("name"), caller) });
    },
  );
}

function parseToken(body: string): TokenGiven {
  const { token, expiresAt, scopes } = parseBody(body, '{"token": "…"}', ["token", "expiresAt", "scopes"]);
  if (typeof token !== "string" || token === "") throw new PlaneError("USAGE", "'token' must be a text.");
  if (expiresAt !== undefined && (typeof expiresAt !== "string" || Number.isNaN(Date.parse(expiresAt)))) {
    throw new PlaneError("USAGE", "'expiresAt' must be a time like 2027-01-31T12:00:00Z.");
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string"))) {
    throw new PlaneError("USAGE", "'scopes' must be a list of texts.");
  }
  return {
    token,
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt as string }),
    ...(scopes === undefined ? {} : { scopes: scopes as string[] }),
  };
}
