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
const offline = "offline_access";

/** A parameter, quoted or not, or a scheme. */
const part =
  /(?<![\w!#$%&'*+.^`|~-])(?:([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([\w!#$%&'*+.^`|~-]+)(?=\s|,|$))/g;

/** Null without a Bearer challenge. Other schemes may stand around it. */
export function parseChallenge(header: string | null): BearerChallenge | null {
  if (header === null || header.length > maxHeaderLength) return null;
  let scheme = "";
  let found = false;
  const values = new Map<string, string>();
  for (const [, name, quoted, plain, word] of header.matchAll(part)) {
    if (word !== undefined) {
      scheme = word.toLowerCase();
      found ||= scheme === "bearer";
    } else if (scheme === "bearer" && name !== undefined && !values.has(name.toLowerCase()))
      values.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "");
  }
  if (!found) return null;
  const scope = values.get("scope");
  return {
    resourceMetadata: values.get("resource_metadata") ?? null,
    scopes: scope === undefined ? null : splitScopes(scope),
    error: values.get("error") ?? null,
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
  const named = configured
    ? [...configured, ...(challenged ?? [])]
    : (challenged ?? resource ?? []);
  const wanted = new Set([...sources.before, ...named]);
  if (wanted.size === 0) return [];
  const isOffered = server?.includes(offline) ?? false;
  if (sources.wantsRefreshToken && isOffered) wanted.add(offline);
  else if (!isOffered) wanted.delete(offline);
  return [...wanted];
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
  if (count >= (isWithin(scopes, record.requested) ? 1 : maxStepUps)) return null;
  const before = [...new Set([...record.requested, ...record.scopes])];
  return { scopes, before, stepUps: { count: count + 1, since } };
}

function isWithin(scopes: readonly string[], others: readonly string[]): boolean {
  return scopes.every((scope) => others.includes(scope));
}
