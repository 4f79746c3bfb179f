import * as z from "zod/mini";
import { isLoopback } from "../config/settings.ts";

/** Dots lead into objects. */
const ClaimPaths = z.strictObject({
  user: z._default(z.string().check(z.minLength(1)), "sub"),
  groups: z._default(z.string().check(z.minLength(1)), "groups"),
  persona: z._default(z.string().check(z.minLength(1)), "persona"),
  scopes: z.optional(z.string().check(z.minLength(1))),
  workspace: z._default(z.string().check(z.minLength(1)), "workspace"),
  compliance: z._default(z.string().check(z.minLength(1)), "compliance"),
  tool_groups: z._default(z.string().check(z.minLength(1)), "tool_groups"),
});
export type ClaimPaths = z.infer<typeof ClaimPaths>;

export const JwtIssuer = z
  .strictObject({
    issuer: z.string().check(z.minLength(1)),
    audience: z.string().check(z.minLength(1)),
    jwksUri: z.optional(z.string()),
    claims: z._default(ClaimPaths, {
      user: "sub",
      groups: "groups",
      persona: "persona",
      workspace: "workspace",
      compliance: "compliance",
      tool_groups: "tool_groups",
    }),
  })
  .check(
    z.refine(({ issuer, jwksUri }) => Boolean(jwksUri) || isSafeUrl(issuer), {
      path: ["issuer"],
      error: "must be an https address, or one of this machine, where no 'jwksUri' says where the keys are",
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
