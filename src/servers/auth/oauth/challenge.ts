import type { OAuthRecord, StepUps } from "../records.ts";

/** RFC 6750, RFC 9728. */
export type BearerChallenge = {
  resourceMetadata: string | null;
  scopes: string[] | null;
  error: string | null;
};

const maxHeaderLength = 8_192;
const maxStepUps = 3;
const stepUpWindowMs = 10 * 60_000;
const offlineScope = "offline_access";

/** A parameter, quoted or not, or a scheme. */
const challengePart =
  /(?<![\w!#$%&'*+.^`|~-])(?:([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([\w!#$%&'*+.^`|~-]+)(?=\s|,|$))/g;

/** Null without a Bearer challenge. Other schemes may stand around it. */
export function parseChallenge(header: string | null): BearerChallenge | null {
  if (header === null || header.length > maxHeaderLength) return null;
  let scheme = "";
  let hasBearer = false;
  const parameters = new Map<string, string>();
  for (const [, name, quoted, plain, schemeName] of header.matchAll(challengePart)) {
    if (schemeName !== undefined) {
      scheme = schemeName.toLowerCase();
      hasBearer ||= scheme === "bearer";
    } else if (scheme === "bearer" && name !== undefined && !parameters.has(name.toLowerCase()))
      parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "");
  }
  if (!hasBearer) return null;
  const scope = parameters.get("scope");
  return {
    resourceMetadata: parameters.get("resource_metadata") ?? null,
    scopes: scope === undefined ? null : splitScopes(scope),
    error: parameters.get("error") ?? null,
  };
}

/** Only what RFC 6749 allows: people read scopes. */
export function splitScopes(text: string): string[] {
  return text.split(/\s+/).filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
}

type ScopeSources = {
  configured: readonly string[] | undefined;
  challenged: readonly string[] | null;
  before: readonly string[];
  /** Listed by the MCP server, and by the authorization server. */
  resource: readonly string[] | null;
  server: readonly string[] | null;
  wantsRefreshToken: boolean;
};

/** With none, the authorization server decides. */
export function chooseScopes({
  configured,
  challenged,
  resource,
  server,
  ...sources
}: ScopeSources): string[] {
  const required = challenged ?? (configured ? [] : resource) ?? [];
  const scopes = new Set([...sources.before, ...(configured ?? []), ...required]);
  if (scopes.size === 0) return [];
  const isOffered = server?.includes(offlineScope) ?? false;
  if (sources.wantsRefreshToken && isOffered) scopes.add(offlineScope);
  else if (!isOffered) scopes.delete(offlineScope);
  return [...scopes];
}

/** After a 403; null when a new sign-in would not help. */
export function stepUp(
  record: OAuthRecord,
  { error, scopes }: BearerChallenge,
  now: number,
): { scopes: string[]; before: string[]; stepUps: StepUps } | null {
  const isAboutScope = error === "insufficient_scope" || error === null;
  if (!isAboutScope || scopes === null || isWithin(scopes, record.scopes)) return null;
  const isRecent = now - record.stepUps.since <= stepUpWindowMs;
  const { count, since } = isRecent ? record.stepUps : { count: 0, since: now };
  const limit = isWithin(scopes, record.requested) ? 1 : maxStepUps;
  if (count >= limit) return null;
  const before = [...new Set([...record.requested, ...record.scopes])];
  return { scopes, before, stepUps: { count: count + 1, since } };
}

function isWithin(scopes: readonly string[], granted: readonly string[]): boolean {
  return scopes.every((scope) => granted.includes(scope));
}
