import * as z from "zod/mini";
import { ClaimPaths, isSafeUrl, JwtIssuer } from "./jwt-issuer.ts";

const safeUrl = z
  .string()
  .check(z.refine(isSafeUrl, { error: "must be an https address, or one of this machine", abort: true }));

/** Who callers are, and where they sign in. */
export const authFields = {
  jwt: z.optional(JwtIssuer),
  /** An identity provider that clients can sign in at themselves; its tokens name this plane as their audience. */
  issuer: z.optional(safeUrl),
  claims: z._default(ClaimPaths, () => ClaimPaths.parse({})),
  /** What clients ask for when they know no better. */
  scopes: z._default(z.array(z.string().check(z.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "must be one word"))), ["call"]),
  publicUrl: z.optional(
    safeUrl.check(
      z.refine((text) => URL.parse(text)?.href === `${URL.parse(text)?.origin}/`, "must be an address without a path"),
    ),
  ),
};
