import { z } from "@hono/zod-openapi";
import type { Principal } from "../../../model/principal.ts";
import { type Identities, principalOf } from "../identity.ts";
import { type App, addRoute } from "../route.ts";

export const callbackPath = "/oauth/callback";
/** Nobody has so many sign-ins open; the oldest are forgotten. */
const maxOpen = 1_000;

/** Signing in with a browser. The way back brings no credential, only the state that we gave it. */
export function addSignInRoutes(app: App, identities: Identities): void {
  const { plane } = identities;
  const open = new Map<string, Principal>();
  addRoute(
    app,
    {
      ...{ method: "post", path: "/servers/{name}/sign-in", tag: "Sign-in", scope: "call" },
      params: { name: "The server's name in the configuration." },
      summary: "Begin to sign in to a server",
      answers: {
        200: { description: "Where the caller's browser has to go.", schema: z.object({ url: z.string() }) },
      },
    },
    async ({ c, caller, param }) => {
      await plane.server(param("name"), caller);
      const redirectUri = new URL(callbackPath, c.req.url).href;
      const { url, state } = await plane.beginSignIn(param("name"), redirectUri, caller);
      for (const oldest of open.size < maxOpen ? [] : [...open.keys()].slice(0, 1)) open.delete(oldest);
      open.set(state, caller.principal);
      return c.json({ url });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: callbackPath, tag: "Sign-in", scope: null },
      summary: "Where the browser comes back to",
      description: "Whoever brings the state of a sign-in that was begun here is the one who began it.",
      describedQuery: z.object({
        state: z.string(),
        code: z.string().optional(),
        error: z.string().optional(),
      }),
      answers: { 200: { description: "Signed in.", type: "text/plain" } },
    },
    async ({ c }) => {
      const parameters = new URL(c.req.url).searchParams;
      const state = parameters.get("state") ?? "";
      const principal = open.get(state) ?? (await principalOf(identities, c));
      open.delete(state);
      const { server } = await plane.finishSignIn(parameters, { principal, face: "http" });
      return c.text(`Signed in to '${server}'. You can close this window.`);
    },
  );
}
