import { TransportError } from "../../protocol/message.ts";
import { type Challenge, isOwnClient, ownersOf, type Remote } from "./credentials-contract.ts";
import type { Lock } from "./lock.ts";
import { type BearerChallenge, parseChallenge, stepUp } from "./oauth/challenge.ts";
import { discover, findResource } from "./oauth/discover.ts";
import { refresh, requestOwnToken, type Wanted } from "./oauth/renew.ts";
import { beginSignIn, finishSignIn, type SignInOptions } from "./oauth/sign-in.ts";
import { authRequired, forFaces, withServer } from "./problems.ts";
import {
  type ChallengeRecord,
  type CredentialRecord,
  challengeKey,
  credentialsKey,
  isExpired,
  isExpiring,
  noStepUps,
  type OAuthRecord,
} from "./records.ts";

type OAuthCredentialsOptions = SignInOptions & { lock: Lock; discovered: Set<string> };

const noChallenge: BearerChallenge = { resourceMetadata: null, scopes: null, error: null };

type Context = OAuthCredentialsOptions & {
  /** The token that was last sent: a refusal may be about an older one than the stored. */
  handedOut: Map<string, string>;
};
export type Subject = { server: string; user: string | null; key: string; definition: Remote };

export function createOAuthCredentials(options: OAuthCredentialsOptions) {
  const { vault, lock } = options;
  const context: Context = { ...options, handedOut: new Map() };
  return {
    async accessToken(subject: Subject, stored: OAuthRecord | null): Promise<string | null> {
      const token = (await currentRecord(context, subject, stored))?.accessToken ?? null;
      if (token !== null) context.handedOut.set(subject.key, token);
      return token;
    },
    refused: (subject: Subject, record: OAuthRecord | null, challenge: Challenge) =>
      refused(context, subject, record, challenge),
    beginSignIn: (
      who: { server: string; user: string | null; redirectUri: string },
      definition: Remote,
    ) =>
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

/** One refreshes, in this process and in others; those that waited take its result. */
function renew(
  context: Context,
  subject: Subject,
  seen: OAuthRecord | null,
  wanted: Wanted,
): Promise<OAuthRecord> {
  const { server, key, definition } = subject;
  const work = async () => {
    const { vault, egress } = context;
    const now = context.now();
    const current = await vault.read<CredentialRecord>(key);
    const isNew = current?.kind === "oauth" && current.accessToken !== seen?.accessToken;
    if (isNew && !isExpired(current, now)) return current;
    if (isOwnClient(definition)) return requestOwnToken({ vault, egress, now }, subject, wanted);
    if (current?.kind !== "oauth")
      throw authRequired(server, "oauth", "you are not signed in any more");
    return refresh({ vault, egress, now }, subject, current);
  };
  return context.lock(key, work).catch((thrown) => {
    throw withServer(server, thrown);
  });
}

/** Null when the server never asked for a sign-in. */
async function currentRecord(
  context: Context,
  subject: Subject,
  stored: OAuthRecord | null,
): Promise<OAuthRecord | null> {
  const { server, definition } = subject;
  const none = { ...noChallenge, before: [] };
  // A token goes only to the address it was made for.
  const record = stored?.url === definition.url ? stored : null;
  if (record && !isExpiring(record, context.now())) return record;
  if (isOwnClient(definition)) return renew(context, subject, record, none);
  if (record === null) {
    if (definition.auth === undefined && !context.discovered.has(definition.url)) return null;
    throw authRequired(server, "oauth", "you have not signed in yet");
  }
  const isStillGood = !isExpired(record, context.now());
  if (record.refreshToken === null && isStillGood) return record;
  return renew(context, subject, record, none).catch((thrown) => {
    if (isStillGood && thrown instanceof TransportError) return record;
    throw thrown;
  });
}

async function refused(
  context: Context,
  subject: Subject,
  record: OAuthRecord | null,
  { status, wwwAuthenticate }: Challenge,
): Promise<boolean> {
  const { server, definition } = subject;
  const parsed = parseChallenge(wwwAuthenticate);
  const challenge = parsed ?? noChallenge;
  if (status === 403) return needsMore(context, subject, record, challenge);
  if (isOwnClient(definition)) {
    await renew(context, subject, record, { ...challenge, before: [] });
    return true;
  }
  const isOpen = definition.auth === undefined && record === null;
  if (isOpen && !(await wantsSignIn(context, subject, parsed))) return false;
  if (record !== null && (await replace(context, subject, record, challenge))) return true;
  await remember(context, subject, { ...challenge, before: [], stepUps: noStepUps });
  const why =
    record === null ? "you have not signed in yet" : "its sign-in is not accepted any more";
  throw authRequired(server, "oauth", why);
}

/** Is there a newer token, or can it be refreshed? Otherwise it is forgotten. */
async function replace(
  context: Context,
  subject: Subject,
  record: OAuthRecord,
  challenge: BearerChallenge,
) {
  const { key, definition } = subject;
  const isSameServer = record.url === definition.url;
  const sent = context.handedOut.get(key);
  if (isSameServer && sent !== undefined && sent !== record.accessToken) return true;
  const isTrusted = await stillTrusts(context, definition, record, challenge);
  const isRenewable = isTrusted && isSameServer && record.refreshToken !== null;
  if (isRenewable) await renew(context, subject, record, { ...challenge, before: [] });
  else await context.vault.remove(key);
  return isRenewable;
}

/** A server may have moved to another authorization server, whose tokens it wants now. */
async function stillTrusts(
  { egress }: Context,
  definition: Remote,
  { issuer }: OAuthRecord,
  challenge: BearerChallenge,
) {
  try {
    const found = await findResource(
      definition.url,
      challenge.resourceMetadata,
      await egress.namedBy(...ownersOf(definition)),
    );
    return found === null || found.issuers.includes(issuer);
  } catch {
    return true;
  }
}

/** A server without `auth` in the configuration: does it offer a sign-in at all? */
async function wantsSignIn(
  { discovered, egress }: Context,
  subject: Subject,
  challenge: BearerChallenge | null,
) {
  const { url } = subject.definition;
  if (challenge === null || discovered.has(url)) return discovered.has(url);
  const { resourceMetadata } = challenge;
  try {
    const gate = await egress.namedBy(...ownersOf(subject.definition));
    const found = await discover(url, { resourceMetadata, issuer: undefined }, gate);
    if (found !== null) discovered.add(url);
  } catch (thrown) {
    // A server that names no sign-in may just want a token.
    if (resourceMetadata !== null) throw withServer(subject.server, thrown);
  }
  return discovered.has(url);
}

async function needsMore(
  context: Context,
  subject: Subject,
  record: OAuthRecord | null,
  challenge: BearerChallenge,
) {
  const more = record === null ? null : stepUp(record, challenge, context.now());
  if (more === null) return false;
  const wanted = { resourceMetadata: challenge.resourceMetadata, ...more };
  if (isOwnClient(subject.definition)) {
    const { requested } = await renew(context, subject, record, wanted);
    return more.scopes.some((scope) => requested.includes(scope));
  }
  await remember(context, subject, wanted);
  throw authRequired(subject.server, "oauth", `it wants more rights (${more.scopes.join(", ")})`);
}

function remember(
  { vault }: Context,
  { server, user, definition }: Subject,
  challenge: Omit<ChallengeRecord, "url">,
) {
  const { resourceMetadata, scopes, before, stepUps } = challenge;
  const { url } = definition;
  return vault.write(challengeKey(server, user), {
    url,
    resourceMetadata,
    scopes,
    before,
    stepUps,
  });
}
