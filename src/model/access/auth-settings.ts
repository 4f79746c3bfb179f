import * as z from "zod/mini";
import { ClaimPaths, isSafeUrl, JwtIssuer } from "./jwt-issuer.ts";

const safeUrl = z
  .string()
  .check(
    z.refine(isSafeUrl, { error: "must be an https address, or one of this machine", abort: true }),
  );

const text = z.string().check(z.minLength(1));
const names = z._default(z.array(text), []);
const between = (least: number, most: number) => z.int().check(z.minimum(least), z.maximum(most));

/** A client that an administrator knows: a program that signs in as itself, or one with a fixed id for people. */
const KnownClient = z
  .strictObject({
    name: z.optional(text),
    secret: z.optional(z.string().check(z.minLength(16))),
    /** Public keys of `private_key_jwt`. */
    keys: z.optional(z.array(z.record(z.string(), z.json()))),
    jwksUri: z.optional(safeUrl),
    redirectUris: names,
    /** What it may do as itself; empty for a client that only people sign in with. */
    scopes: names,
    groups: names,
  })
  .check(
    z.refine(
      ({ secret, keys, jwksUri }) =>
        [secret, keys, jwksUri].filter((setting) => setting !== undefined).length === 1,
      {
        error: "needs one of 'secret', 'keys' and 'jwksUri'",
      },
    ),
  );
export type KnownClient = z.infer<typeof KnownClient>;

export const AuthorizationServer = z.strictObject({
  /** For a file that sets nothing else here. */
  enabled: z._default(z.literal(true), true),
  registration: z._default(z.boolean(), true),
  clientDocuments: z._default(z.boolean(), true),
  accessMinutes: z._default(between(1, 60), 10),
  refreshDays: z._default(between(1, 365), 30),
  sessionHours: z._default(between(1, 720), 12),
  clients: z._default(z.record(z.string(), KnownClient), {}),
  /** Whose ID-JAG assertions are taken for people (enterprise-managed authorization). */
  assertionIssuers: z._default(z.array(safeUrl), []),
});
export type AuthorizationServer = z.infer<typeof AuthorizationServer>;

/** People are known by their address, also where only other claims are named. */
const personClaims = z.extend(ClaimPaths, { user: z._default(text, "email") });

const SignInProvider = z.strictObject({
  issuer: safeUrl,
  clientId: text,
  clientSecret: z.optional(text),
  scopes: z._default(z.array(text), ["openid", "email", "profile"]),
  claims: z._default(personClaims, () => personClaims.parse({})),
});
export type SignInProvider = z.infer<typeof SignInProvider>;

/** Who callers are, and where they sign in. */
export const authFields = {
  jwt: z.optional(JwtIssuer),
  /** An identity provider that clients can sign in at themselves; its tokens name this plane as their audience. */
  issuer: z.optional(safeUrl),
  claims: z._default(ClaimPaths, () => ClaimPaths.parse({})),
  /** What clients ask for when they know no better. */
  scopes: z._default(
    z.array(z.string().check(z.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "must be one word"))),
    ["call"],
  ),
  publicUrl: z.optional(
    safeUrl.check(
      z.refine(
        (text) => URL.parse(text)?.href === `${URL.parse(text)?.origin}/`,
        "must be an address without a path",
      ),
    ),
  ),
  /** Starts an authorization server in the plane. */
  server: z.optional(AuthorizationServer),
  /** Where people sign in to it. */
  signIn: z.optional(SignInProvider),
};
