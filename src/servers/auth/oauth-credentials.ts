import type { ServerDefinition } from "../../model/servers/server.ts";
import { TransportError } from "../../protocol/message.ts";
import type { Challenge } from "./credentials-contract.ts";
import type { Lock } from "./lock.ts";
import { type BearerChallenge, parseChallenge, stepUp } from "./oauth/challenge.ts";
import { reachOf } from "./oauth/checked-fetch.ts";
import { discover, findResource } from "./oauth/discover.ts";
import { refresh, requestOwnToken } from "./oauth/renew.ts";
import { beginSignIn, finishSignIn } from "./oauth/sign-in.ts";
import { authRequired, forFaces, withServer } from "./problems.ts";
import {
  type ChallengeRecord,
  challengeKey,
  credentialsKey,
  isExpired,
  isExpiring,
  type OAuthRecord,
} from "./records.ts";
import { isOwnClient } from "./token-headers.ts";
import type { Vault } from "./vault.ts";

export type Remote = ServerDefinition & { url: string };

export type OAuthCredentialsOptions = {
  vault: Vault;
  lock: Lock;
  clientName: string;
  discovered: Set<string>;
  now(): number;
};

const noChallenge: BearerChallenge = { resourceMetadata: null, scopes: null, error: null };

type Context = OAuthCredentialsOptions & {
  /** The token that was last sent: a refusal may be about an older one than the stored. */
  handedOut: Map<string, string>;
};
type Who = { server: string; user: string | null; key: string };
type More = { resourceMetadata: string | null; scopes: string[] | null; before: string[] };

export function createOAuthCredentials(options: OAuthCredentialsOptions) {
  const { vault, lock } = options;
  const context: Context = { ...options, handedOut: new Map() };
  return {
    accessToken: (server: string, definition: Remote, user: string | null, stored: OAuthRecord | null) =>
      accessToken(context, server, definition, user, stored),
    refused: (
      server: string,
      definition: Remote,
      user: string | null,
      record: OAuthRecord | null,
      challenge: Challenge,
    ) => refused(context, server, definition, user, record, challenge),
    beginSignIn: (who: { server: string; user: string | null; redirectUri: string }, definition: Remote) =>
      beginSignIn(options, who, definition).catch((thrown) => {
        throw forFaces(who.server, thrown);
      }),
    async finishSignIn(parameters: URLSearchParams, as: string | null | undefined) {
      const { server, user, record } = await finishSignIn(options, parameters, as);
      const key = credentialsKey(server, user);
      await lock(key, () => vault.write(key, record));
      await vault.remove(challengeKey(server, user));
      return { server, user };
    },
  };
}

function hand(context: Context, { key }: Who, { accessToken }: OAuthRecord): string {
  context.handedOut.set(key, accessToken);
  return accessToken;
}

/** One refreshes, in this process and in others; those that waited take its result. */
function renew(
  context: Context,
  who: Who,
  definition: Remote,
  seen: OAuthRecord | null,
  more: More,
): Promise<OAuthRecord> {
  const { server, key } = who;
  return context
    .lock(key, async () => {
      const current = (await context.vault.read(key)) as OAuthRecord | null;
      const isNew = current?.kind === "oauth" && current.accessToken !== seen?.accessToken;
      if (isNew && !isExpired(current, context.now())) return current;
      const renewal = { vault: context.vault, now: context.now() };
      if (isOwnClient(definition)) return requestOwnToken(renewal, who, definition, more);
      if (current?.kind !== "oauth") throw authRequired(server, "oauth", "you are not signed in any more");
      return refresh(renewal, { server, key, record: current }, definition);
    })
    .catch((thrown) => {
      throw withServer(server, thrown);
    });
}

/** Null when the server never asked for a sign-in. */
async function accessToken(
  context: Context,
  server: string,
  definition: Remote,
  user: string | null,
  stored: OAuthRecord | null,
): Promise<string | null> {
  const who = { server, user, key: credentialsKey(server, user) };
  const none = { ...noChallenge, before: [] };
  // A token goes only to the address it was made for.
  const record = stored?.url === definition.url ? stored : null;
  if (record && !isExpiring(record, context.now())) return hand(context, who, record);
  if (isOwnClient(definition)) return hand(context, who, await renew(context, who, definition, record, none));
  if (record === null) {
    if (definition.auth === undefined && !context.discovered.has(definition.url)) return null;
    throw authRequired(server, "oauth", "you have not signed in yet");
  }
  const isStillGood = !isExpired(record, context.now());
  if (record.refreshToken === null && isStillGood) return hand(context, who, record);
  try {
    return hand(context, who, await renew(context, who, definition, record, none));
  } catch (thrown) {
    if (isStillGood && thrown instanceof TransportError) return hand(context, who, record);
    throw thrown;
  }
}

async function refused(
  context: Context,
  server: string,
  definition: Remote,
  user: string | null,
  record: OAuthRecord | null,
  { status, wwwAuthenticate }: Challenge,
): Promise<boolean> {
  const who = { server, user, key: credentialsKey(server, user) };
  const parsed = parseChallenge(wwwAuthenticate);
  const challenge = parsed ?? noChallenge;
  if (status === 403) return needsMore(context, who, definition, record, challenge);
  if (isOwnClient(definition)) {
    await renew(context, who, definition, record, { ...challenge, before: [] });
    return true;
  }
  if (definition.auth === undefined && record === null && !(await wantsSignIn(context, who, definition, parsed)))
    return false;
  if (record !== null && (await replace(context, who, definition, record, challenge))) return true;
  await remember(context, who, definition, { ...challenge, before: [], stepUps: { count: 0, since: 0 } });
  const why = record === null ? "you have not signed in yet" : "its sign-in is not accepted any more";
  throw authRequired(server, "oauth", why);
}

/** Is there a newer token, or can it be refreshed? Otherwise it is forgotten. */
async function replace(
  context: Context,
  who: Who,
  definition: Remote,
  record: OAuthRecord,
  challenge: BearerChallenge,
) {
  const sent = context.handedOut.get(who.key);
  if (record.url === definition.url && sent !== undefined && sent !== record.accessToken) return true;
  const isTrusted = await stillTrusts(definition, record, challenge);
  if (isTrusted && record.url === definition.url && record.refreshToken !== null) {
    await renew(context, who, definition, record, { ...challenge, before: [] });
    return true;
  }
  await context.vault.remove(who.key);
  return false;
}

/** A server may have moved to another authorization server, whose tokens it wants now. */
async function stillTrusts({ url }: Remote, { issuer }: OAuthRecord, challenge: BearerChallenge) {
  try {
    const found = await findResource(url, challenge.resourceMetadata, await reachOf(url));
    return found === null || found.issuers.includes(issuer);
  } catch {
    return true;
  }
}

/** A server without `auth` in the configuration: does it offer a sign-in at all? */
async function wantsSignIn(context: Context, { server }: Who, { url }: Remote, challenge: BearerChallenge | null) {
  if (challenge === null || context.discovered.has(url)) return context.discovered.has(url);
  const { resourceMetadata } = challenge;
  try {
    const found = await discover(url, { resourceMetadata, issuer: undefined }, await reachOf(url));
    if (found !== null) context.discovered.add(url);
  } catch (thrown) {
    // A server that names no sign-in may just want a token.
    if (resourceMetadata !== null) throw withServer(server, thrown);
  }
  return context.discovered.has(url);
}

async function needsMore(
  context: Context,
  who: Who,
  definition: Remote,
  record: OAuthRecord | null,
  challenge: BearerChallenge,
): Promise<boolean> {
  const more = record === null ? null : stepUp(record, challenge, context.now());
  if (more === null) return false;
  const { resourceMetadata } = challenge;
  if (isOwnClient(definition)) {
    const { requested } = await renew(context, who, definition, record, { resourceMetadata, ...more });
    return more.scopes.some((scope) => requested.includes(scope));
  }
  await remember(context, who, definition, { resourceMetadata, ...more });
  throw authRequired(who.server, "oauth", `it wants more rights (${more.scopes.join(", ")})`);
}

async function remember(
  context: Context,
  { server, user }: Who,
  { url }: Remote,
  challenge: Omit<ChallengeRecord, "url">,
) {
  const { resourceMetadata, scopes, before, stepUps } = challenge;
  await context.vault.write(challengeKey(server, user), { url, resourceMetadata, scopes, before, stepUps });
}
