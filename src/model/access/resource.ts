import type { Principal } from "../principal.ts";

/** Scopes of tokens that limit their bearer to servers or toolsets. */
const limits = { servers: "server:", toolsets: "toolset:" } as const;

/**
 * Is a token with this audience for what is asked at this address (RFC 8707)? An audience is an address and stands for
 * what is below it; with a query it stands for that address alone.
 */
export function covers(audience: string, asked: string): boolean {
  const meant = URL.parse(audience);
  const at = URL.parse(asked);
  if (meant === null || at === null || meant.origin !== at.origin || audience.includes("#"))
    return false;
  if (meant.username !== "" || meant.password !== "") return false;
  if (meant.search !== "") return meant.pathname === at.pathname && meant.search === at.search;
  const path = meant.pathname.replace(/\/$/, "");
  return at.pathname === path || at.pathname.startsWith(`${path}/`);
}

/** The servers and toolsets that scopes name; null where they name none, and so limit nothing. */
export function limitsIn(scopes: readonly string[]): NonNullable<Principal["within"]> | null {
  const namedBy = (prefix: string) =>
    scopes.flatMap((scope) =>
      scope.startsWith(prefix) && scope !== prefix ? [scope.slice(prefix.length)] : [],
    );
  const servers = namedBy(limits.servers);
  const toolsets = namedBy(limits.toolsets);
  return servers.length + toolsets.length === 0 ? null : { servers, toolsets };
}

/** What a token has to be asked for to keep what it has and get this as well; a token for some servers manages nothing. */
export function scopesWith(
  { scopes, within }: Pick<Principal, "scopes" | "within">,
  more: string,
): string[] {
  const kept =
    within && more !== "admin"
      ? [...within.servers.map(serverScope), ...within.toolsets.map(toolsetScope)]
      : [];
  return [...new Set([...scopes, ...kept, more])];
}

export const serverScope = (name: string) => limits.servers + name;
export const toolsetScope = (name: string) => limits.toolsets + name;
