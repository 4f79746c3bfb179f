import { createHash, randomBytes } from "node:crypto";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { PlaneError } from "../../../model/errors.ts";
import { type KnownCaller, requireScope } from "../../../model/principal.ts";
import type { OwnAddress } from "../origin.ts";
import { type App, addRoute, clientAddressOf, type HttpContext } from "../route.ts";
import { authenticate, credentialIn, type Identities } from "./identity.ts";

export const callbackPath = "/oauth/callback";
/** Where links for people lead that need an account of a server. */
export const accountPath = "/account";
const maxAgeSeconds = 600;

/**
 * Signing in with a browser. The way back brings no credential: it counts in the browser that began it, which has a
 * cookie. Without that, a link that another person began would give them the account of the one who opens it.
 */
export function addSignInRoutes(app: App, identities: Identities, ownAddress: OwnAddress): void {
  const { plane } = identities;
  const { begun: begunSignIns } = plane.identity;
  /** Where the browser has to go now; it gets a cookie that it comes back with. */
  const begin = async (c: HttpContext, name: string, caller: KnownCaller): Promise<string> => {
    await plane.servers.get(name, caller);
    const redirectUri = ownAddress(c.req.header("host") ?? "") + callbackPath;
    const { url, state } = await plane.tokens.beginSignIn(name, redirectUri, caller);
    const browser = randomBytes(32).toString("base64url");
    // Lax: the way back is a navigation from another site.
    const cookieOptions = {
      httpOnly: true,
      sameSite: "Lax",
      path: callbackPath,
      maxAge: maxAgeSeconds,
    } as const;
    setCookie(c, browserCookie(state), browser, {
      ...cookieOptions,
      secure: redirectUri.startsWith("https:"),
    });
    await begunSignIns.keep(state, { principal: caller.principal, browser: hash(browser) });
    return url;
  };
  addRoute(
    app,
    {
      method: "get",
      path: `${accountPath}/{name}`,
      tag: "Sign-in",
      scope: null,
      open: true,
      params: { name: "The server's name in the configuration." },
      summary: "Where a person signs in to a server behind the plane",
      description: "A link for a browser. Who has not signed in at the plane does that first.",
      answers: { 303: { description: "The browser goes on.", type: "text/plain" } },
    },
    async ({ c, param }) => {
      // A link cannot prove whose it is. A page can, and goes on from there.
      if (plane.config().auth.server !== undefined && credentialIn(c) === null)
        return c.redirect(`/sign-in/account/${encodeURIComponent(param("name"))}`, 303);
      const principal = await authenticate(identities, c);
      requireScope(principal, "call", "sign in to a server");
      return c.redirect(
        await begin(c, param("name"), { principal, face: "http", ...clientAddressOf(c) }),
        303,
      );
    },
  );
  addRoute(
    app,
    {
      method: "post",
      path: "/servers/{name}/sign-in",
      tag: "Sign-in",
      scope: "call",
      command: "servers login",
      params: { name: "The server's name in the configuration." },
      summary: "Begin to sign in to a server",
      description:
        "The browser that goes there has to be the one that asked: the answer sets a cookie.",
      answers: {
        200: {
          description: "Where the caller's browser has to go.",
          schema: z.object({ url: z.string() }),
        },
      },
    },
    async ({ c, caller, param }) => {
      const url = await begin(c, param("name"), caller);
      return c.json({ url });
    },
  );
  addRoute(
    app,
    {
      method: "get",
      path: callbackPath,
      tag: "Sign-in",
      scope: null,
      summary: "Where the browser comes back to",
      description:
        "The cookie of the browser and the state of a sign-in that it began identify its caller.",
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
      const signIn = await begunSignIns.find(state);
      const isThisBrowser = signIn?.browser === hash(getCookie(c, browserCookie(state)) ?? "");
      if (signIn === null || !isThisBrowser || !(await begunSignIns.take(state))) {
        await authenticate(identities, c);
        throw new PlaneError(
          "FORBIDDEN",
          "This browser did not begin this sign-in. Begin it in this browser, at the server's page of the workbench, or use 'toolplane servers login'.",
        );
      }
      const { server } = await plane.tokens.finishSignIn(parameters, {
        principal: signIn.principal,
        face: "http",
        ...clientAddressOf(c),
      });
      deleteCookie(c, browserCookie(state), { path: callbackPath });
      return c.text(`Signed in to '${server}'. You can close this window.`);
    },
  );
}

/** Each sign-in has its own: a browser may begin several at a time. */
const browserCookie = (state: string) => `toolplane_${hash(state).slice(0, 16)}`;

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
