import type { Principal } from "../principal.ts";

/** Scopes of tokens that limit their bearer to servers or toolsets. */
const limits = { servers: "server:", toolsets: "toolset:" } as const;

/**
 * Is a token with this audience for what is asked at this address (RFC 8707)? An audience is an address and stands for
 * what is below it; with a query it stands for that address alone.
 */
export function covers(audience: string, requested: string): boolean {
  const audienceUrl = URL.parse(audience);
  const requestedUrl = URL.parse(requested);
  if (
    audienceUrl === null ||
    requestedUrl === null ||
    audienceUrl.origin !== requestedUrl.origin ||
    audience.includes("#")
  )
    return false;
  if (audienceUrl.username !== "" || audienceUrl.password !== "") return false;
  if (audienceUrl.search !== "")
    return (
      audienceUrl.pathname === requestedUrl.pathname && audienceUrl.search === requestedUrl.search
    );
  const path = audienceUrl.pathname.replace(/\/$/, "");
  return requestedUrl.pathname === path || requestedUrl.pathname.startsWith(`${path}/`);
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
  furtherScope: string,
): string[] {
  const keptScopes =
    within && furtherScope !== "admin"
      ? [...within.servers.map(serverScope), ...within.toolsets.map(toolsetScope)]
      : [];
  return [...new Set([...scopes, ...keptScopes, furtherScope])];
}

export const serverScope = (name: string) => limits.servers + name;
export const toolsetScope = (name: string) => limits.toolsets + name;
