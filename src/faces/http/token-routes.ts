import { Hono } from "hono";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { TokenGiven } from "../../model/token.ts";
import { parseBody } from "./body.ts";

const callbackPath = "/oauth/callback";

/** The tokens of the one who asks, and signing in with a browser. */
export function tokenRoutes(plane: Plane): Hono {
  const routes = new Hono();
  routes.get("/tokens", async (c) => c.json({ tokens: await plane.tokens() }));
  routes.put("/servers/:name/token", async (c) => {
    await plane.setToken(c.req.param("name"), parseToken(await c.req.text()));
    return c.json({ tokens: await plane.tokens() });
  });
  routes.delete("/servers/:name/token", async (c) =>
    c.json({ ok: await plane.forgetToken(c.req.param("name")) }),
  );
  routes.post("/servers/:name/sign-in", async (c) => {
    const redirectUri = new URL(callbackPath, c.req.url).href;
    const { url } = await plane.beginSignIn(c.req.param("name"), redirectUri);
    return c.json({ url });
  });
  routes.get(callbackPath, async (c) => {
    const { server } = await plane.finishSignIn(new URL(c.req.url).searchParams);
    return c.text(`Signed in to '${server}'. You can close this window.`);
  });
  return routes;
}

function parseToken(body: string): TokenGiven {
  const { token, expiresAt, scopes } = parseBody(body, '{"token": "…"}');
  if (typeof token !== "string" || token === "") throw new PlaneError("USAGE", "'token' must be a text.");
  if (expiresAt !== undefined && (typeof expiresAt !== "string" || Number.isNaN(Date.parse(expiresAt)))) {
    throw new PlaneError("USAGE", "'expiresAt' must be a time like 2027-01-31T12:00:00Z.");
  }
  if (
    scopes !== undefined &&
    !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string"))
  ) {
    throw new PlaneError("USAGE", "'scopes' must be a list of texts.");
  }
  return {
    token,
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt as string }),
    ...(scopes === undefined ? {} : { scopes: scopes as string[] }),
  };
}
