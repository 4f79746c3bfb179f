import * as z from "zod/mini";
import { isLoopback } from "../config/settings.ts";

const text = z.string().check(z.minLength(1));

/** Dots lead into objects. */
export const ClaimPaths = z.strictObject({
  user: z._default(text, "sub"),
  groups: z._default(text, "groups"),
  persona: z._default(text, "persona"),
  scopes: z.optional(text),
  workspace: z._default(text, "workspace"),
  compliance: z._default(text, "compliance"),
  tool_groups: z._default(text, "tool_groups"),
});
export type ClaimPaths = z.infer<typeof ClaimPaths>;

export const JwtIssuer = z
  .strictObject({
    issuer: text,
    audience: text,
    jwksUri: z.optional(z.string()),
    claims: z._default(ClaimPaths, () => ClaimPaths.parse({})),
  })
  .check(
    z.refine(({ issuer, jwksUri }) => Boolean(jwksUri) || isSafeUrl(issuer), {
      path: ["issuer"],
      error:
        "must be an https address, or one of this machine, where no 'jwksUri' says where the keys are",
    }),
    z.refine(({ jwksUri }) => !jwksUri || isSafeUrl(jwksUri), {
      path: ["jwksUri"],
      error: "must be an https address, or one of this machine",
    }),
  );
export type JwtIssuer = z.infer<typeof JwtIssuer>;

/** Keys read from here decide who a caller is, so the transport must be safe. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}
