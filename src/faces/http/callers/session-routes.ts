import { deleteCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { version } from "../../../lib/version.ts";
import { mayDo, type Principal, scopeNames } from "../../../model/principal.ts";
import { Done } from "../../../operations/fields.ts";
import { parseFields } from "../body.ts";
import { type App, addRoute, clientAddressOf, type HttpContext } from "../route.ts";
import {
  authenticate,
  cookieName,
  type Identities,
  identifyCaller,
  sessionCookie,
  signOut,
} from "./identity.ts";

export const sessionPath = "/session";

export const SessionSchema = z
  .object({
    user: z.string().nullable(),
    groups: z.array(z.string()),
    persona: z.string().nullable(),
    scopes: z.array(z.enum(scopeNames)).meta({ description: "What the caller may do here." }),
    needsCredentials: z.boolean().meta({ description: "Does every caller need a credential?" }),
    isProven: z.boolean().meta({
      description:
        "May the caller change and approve what their scopes allow? Without a credential, only with the pass.",
    }),
    serverChanges: z.enum(["allowed", "needs_proof", "no_file"]).meta({
      description:
        "May the caller add and remove servers, if their scope is `admin`? Who has no credential proves it with the link that `serve` printed; without a configuration file there is none to write to.",
    }),
    version: z.string(),
    lastEventId: z.number().int().meta({
      description:
        "The last event so far. Follow `/events` after it to miss nothing that changes later.",
    }),
  })
  .meta({ id: "Session" });

const CredentialBody = z.object({
  key: z.string("give an API key or a token").trim().min(1, "give an API key"),
});

/** Who asks, and how a browser proves it once instead of with every request. */
export function addSessionRoutes(app: App, identities: Identities, hasFile: boolean): void {
  const { plane, sessions } = identities;
  const describeCaller = async (principal: Principal) => {
    const { user, groups, persona } = principal;
    const needsCredentials = await plane.identity.needsCredentials();
    const lastEventId = await plane.events.lastId();
    const isProven = !principal.isUnproven;
    const changesWhenProven = isProven ? "allowed" : "needs_proof";
    return {
      user,
      groups,
      persona,
      version,
      lastEventId,
      needsCredentials,
      isProven,
      scopes: scopeNames.filter((scope) => mayDo(principal, scope)),
      serverChanges: hasFile ? changesWhenProven : "no_file",
    };
  };
  const cookieOptions = (c: HttpContext) => ({
    ...({ httpOnly: true, sameSite: "Strict", path: "/" } as const),
    // A proxy may have taken TLS off on the way here.
    secure: identities.address(c.req.header("host")).startsWith("https:"),
  });
  addRoute(
    app,
    {
      method: "get",
      path: sessionPath,
      tag: "Sign-in",
      scope: null,
      summary: "Who asks, and what they may do",
      answers: { 200: { description: "The caller.", schema: SessionSchema } },
    },
    async ({ c }) => {
      return c.json(await describeCaller(await authenticate(identities, c)));
    },
  );
  addRoute(
    app,
    {
      method: "post",
      path: sessionPath,
      tag: "Sign-in",
      scope: null,
      open: true,
      summary: "Begin a session of a browser with a credential",
      description:
        "The answer has two halves: a cookie that pages cannot read, and `page`, which the page sends as `X-Toolplane-Session`. Neither counts alone. Over after 12 hours without use, and when the credential is revoked.",
      body: {
        schema: CredentialBody,
        description: "An API key, a token, or the word of the link that `serve` printed.",
        example: { key: "tp_…" },
      },
      answers: {
        200: { description: "The caller.", schema: SessionSchema.extend({ page: z.string() }) },
      },
    },
    async ({ c }) => {
      const body = await c.req.text();
      // Without a credential the answer is the same for every caller.
      if (body.trim() === "") await plane.identity.identify(null);
      const { key } = parseFields(body, CredentialBody, '{"key": "tp_…"}');
      const principal = await identifyCaller(identities, c, key);
      const asker = { principal, face: c.get("face"), ...clientAddressOf(c) };
      const session = await plane.audit.run({ operation: "session.begin" }, asker, () =>
        sessions.begin(key),
      );
      setCookie(c, cookieName(c), session.cookie, cookieOptions(c));
      return c.json({ ...(await describeCaller(principal)), page: session.page });
    },
  );
  addRoute(
    app,
    {
      method: "delete",
      path: sessionPath,
      tag: "Sign-in",
      scope: null,
      open: true,
      summary: "End the session of this browser",
      answers: { 200: { description: "It is over.", schema: Done } },
    },
    async ({ c }) => {
      const asker = {
        principal: await authenticate(identities, c),
        face: c.get("face"),
        ...clientAddressOf(c),
      };
      await plane.audit.run({ operation: "session.end" }, asker, async () => {
        await sessions.end(sessionCookie(c));
        await signOut(identities, c);
      });
      deleteCookie(c, cookieName(c), cookieOptions(c));
      return c.json({ ok: true });
    },
  );
}
