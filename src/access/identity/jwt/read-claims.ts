import { isObject, type UnknownObject } from "../../../model/json.ts";
import type { ClaimPaths } from "../../../model/jwt-issuer.ts";
import { everyScope, type Principal, principalOf, scopeNames } from "../../../model/principal.ts";
import { unauthenticated } from "../unauthenticated.ts";

const knownScopes: readonly string[] = [...scopeNames, everyScope];
/** Where OAuth puts them. */
const usualScopes = "scope";

/** Who the bearer is, by a token that is genuine. */
export function readClaims(claims: UnknownObject, paths: ClaimPaths): Principal {
  const user = textAt(claims, paths.user);
  if (user === null)
    throw unauthenticated("claims", `The token does not say who its bearer is: it has no '${paths.user}'.`);
  const toolGroups = valueAt(claims, paths.tool_groups) === undefined ? null : paths.tool_groups;
  return principalOf({
    user,
    groups: listAt(claims, paths.groups, (text) => [text]),
    persona: textAt(claims, paths.persona),
    scopes: scopesOf(claims, paths.scopes),
    workspace: textAt(claims, paths.workspace),
    compliance: textAt(claims, paths.compliance),
    ...(toolGroups === null ? {} : { toolGroups: listAt(claims, toolGroups, (text) => text.split(/\s+/)) }),
  });
}

/** A claim that the configuration names is the last word; the usual one counts where it speaks of us. */
function scopesOf(claims: UnknownObject, path: string | undefined): string[] {
  const told = listAt(claims, path ?? usualScopes, (text) => text.split(/\s+/));
  const ours = told.filter((scope) => knownScopes.includes(scope));
  return ours.length > 0 || path !== undefined ? ours : ["call"];
}

function textAt(claims: UnknownObject, path: string): string | null {
  const value = valueAt(claims, path);
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.trim() !== "") return value;
  throw unauthenticated("claims", `'${path}' in the token is not a text.`);
}

function listAt(claims: UnknownObject, path: string, split: (text: string) => string[]): string[] {
  const value = valueAt(claims, path);
  if (value === undefined || value === null) return [];
  const list = typeof value === "string" ? split(value) : value;
  if (Array.isArray(list) && list.every((item) => typeof item === "string"))
    return [...new Set(list.filter((item) => item !== ""))];
  throw unauthenticated("claims", `'${path}' in the token is not a list of texts.`);
}

/** The claim of that name, or what the parts lead to: names of claims may contain dots themselves. */
function valueAt(claims: UnknownObject, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1)) {
    const name = path.slice(0, dot);
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const value = isObject(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}
