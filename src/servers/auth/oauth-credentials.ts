import { isWithin } from "../../lib/async/pause.ts";
import { createEndpoints, type Endpoints } from "../../lib/net/endpoints.ts";
import { TransportError } from "../../protocol/message.ts";
import { type Challenge, isOwnClient, ownersOf, type Remote } from "./credentials-contract.ts";
import type { Lock } from "./lock.ts";
import { type BearerChallenge, parseChallenge, stepUp } from "./oauth/challenge.ts";
import { discover, findResource } from "./oauth/discover.ts";
import { endSignIn, type GrantRequest, refresh, requestOwnToken } from "./oauth/renew.ts";
import { beginSignIn, finishSignIn, type SignInOptions } from "./oauth/sign-in.ts";
import { authRequired, forFaces, OAuthProblem, signInEnded, withServer } from "./problems.ts";
import {
  type ChallengeRecord,
  type CredentialRecord,
  challengeKey,
  credentialsKey,
  type EndedSignIn,
  endedKey,
  isExpired,
  isExpiring,
  noStepUps,
  type OAuthRecord,
} from "./records.ts";

type OAuthCredentialsOptions = SignInOptions & { lock: Lock; discovered: Set<string> };

const noChallenge: BearerChallenge = { resourceMetadata: null, scopes: null, error: null };

/** A renewal beside a token that is still good is waited for no longer. */
const renewalWaitMs = 2_000;

type Context = OAuthCredentialsOptions & {
  /** The token that was last sent: a refusal may be about an older one than the stored. */
  handedOut: Map<string, string>;
  /** Authorization servers that cannot be asked, for all who would ask them. */
  endpoints: Endpoints;
  /** Renewals that were refused, each for itself. */
  renewals: Endpoints;
};
export type Subject = { server: string; user: string | null; key: string; definition: Remote };

export function createOAuthCredentials(options: OAuthCredentialsOptions) {
  const { vault, lock } = options;
  const context: Context = {
    ...options,
    handedOut: new Map(),
    endpoints: createEndpoints({
      ...endpointBackoff,
      failureOf: (thrown) =>
        thrown instanceof TransportError ? { retryAfterMs: thrown.retryAfterMs } : null,
      refuse: stillResting,
    }),
    renewals: createEndpoints({
      ...endpointBackoff,
      failureOf: (thrown) => (thrown instanceof OAuthProblem ? {} : null),
      refuse: (failure) => failure,
    }),
  };
  return {
    async accessToken(subject: Subject, stored: OAuthRecord | null): Promise<string | null> {
      const token = (await currentRecord(context, subject, stored))?.accessToken ?? null;
      if (token !== null) context.handedOut.set(subject.key, token);
      return token;
    },
    refused: (subject: Subject, record: OAuthRecord | null, challenge: Challenge) =>
      refused(context, subject, record, challenge),
    beginSignIn: (
      request: { server: string; user: string | null; redirectUri: string },
      definition: Remote,
    ) =>
      beginSignIn(options, request, definition).catch((thrown) => {
        throw forFaces(request.server, thrown);
      }),
    async finishSignIn(parameters: URLSearchParams, as: string | null | undefined) {
      const { server, user, record } = await finishSignIn(options, parameters, as);
      const key = credentialsKey(server, user);
      await lock(key, () => vault.write(key, record));
      await vault.remove(challengeKey(server, user));
      await vault.remove(endedKey(server, user));
      return { server, user };
    },
  };
}

const endpointBackoff = { firstMs: 1_000, maxMs: 60_000 };

/** The failure of the request that was made last, for one that was not made because of it. */
function stillResting(failure: unknown, restMs: number): unknown {
  if (!(failure instanceof TransportError) || failure.endpoint === undefined) return failure;
  return new TransportError(failure.message, {
    ...failure,
    cause: failure.cause,
    endpoint: { ...failure.endpoint, restMs },
    retryAfterMs: failure.retryAfterMs === undefined ? undefined : restMs,
  });
}

/** One refreshes, in this process and in others; those that waited take its result, also where it fails. */
function renew(
  context: Context,
  subject: Subject,
  staleRecord: OAuthRecord | null,
  grantRequest: GrantRequest,
): Promise<OAuthRecord> {
  const { server, key, definition } = subject;
  const { endpoints, renewals } = context;
  const work = async () => {
    const { vault, egress } = context;
    const now = context.now();
    const renewalContext = { vault, egress, now, endpoints };
    const storedRecord = await vault.read<CredentialRecord>(key);
    const isNew =
      storedRecord?.kind === "oauth" && storedRecord.accessToken !== staleRecord?.accessToken;
    if (isNew && !isExpired(storedRecord, now)) return storedRecord;
    if (isOwnClient(definition)) return requestOwnToken(renewalContext, subject, grantRequest);
    if (storedRecord?.kind !== "oauth") throw await notSignedIn(context, subject);
    return refresh(renewalContext, subject, storedRecord);
  };
  // A corrected configuration, or another token, is another renewal.
  const renewalKey = JSON.stringify([key, definition.auth, staleRecord?.accessToken, grantRequest]);
  return renewals
    .share(renewalKey, () => renewals.ask(renewalKey, () => context.lock(key, work)))
    .catch((thrown) => {
      throw withServer(server, withRetryTime(context, thrown));
    });
}

/** Says what could not be asked, and when it is asked again. */
function withRetryTime({ endpoints }: Context, thrown: unknown): unknown {
  if (!(thrown instanceof TransportError) || thrown.endpoint === undefined) return thrown;
  const { cause, endpoint } = thrown;
  const restMs = Math.max(endpoint.restMs, endpoints.restMs(endpoint.origin));
  const retryNote = restMs > 0 ? `; it is asked again in ${Math.ceil(restMs / 1_000)} s` : "";
  const message = `its access token could not be renewed: ${thrown.message}${retryNote}`;
  return new TransportError(message, { ...thrown, cause, endpoint: { ...endpoint, restMs } });
}

/** Was there ever a sign-in, and what became of it? */
async function notSignedIn(context: Context, { server, user, definition }: Subject) {
  const ended = await context.vault.readIfPossible<EndedSignIn>(endedKey(server, user));
  if (ended?.url === definition.url) return signInEnded(server, ended, context.now());
  return authRequired(server, "oauth", "you have not signed in yet");
}

/** Null when the server never asked for a sign-in. */
async function currentRecord(
  context: Context,
  subject: Subject,
  stored: OAuthRecord | null,
): Promise<OAuthRecord | null> {
  const { definition } = subject;
  const defaultRequest = { ...noChallenge, before: [] };
  // A token goes only to the address it was made for.
  const record = stored?.url === definition.url ? stored : null;
  if (record && !isExpiring(record, context.now())) return record;
  if (isOwnClient(definition)) return renew(context, subject, record, defaultRequest);
  if (record === null) {
    if (definition.auth === undefined && !context.discovered.has(definition.url)) return null;
    throw await notSignedIn(context, subject);
  }
  const isStillGood = !isExpired(record, context.now());
  if (!isStillGood) return renew(context, subject, record, defaultRequest);
  if (record.refreshToken === null) return record;
  const renewal = renew(context, subject, record, defaultRequest).catch((thrown) => {
    if (thrown instanceof TransportError) return record;
    throw thrown;
  });
  return (await isWithin(renewal, renewalWaitMs)) ? renewal : record;
}

async function refused(
  context: Context,
  subject: Subject,
  record: OAuthRecord | null,
  { status, wwwAuthenticate }: Challenge,
): Promise<boolean> {
  const { definition } = subject;
  const parsed = parseChallenge(wwwAuthenticate);
  const challenge = parsed ?? noChallenge;
  if (status === 403) return requireMoreScopes(context, subject, record, challenge);
  if (isOwnClient(definition)) {
    await renew(context, subject, record, { ...challenge, before: [] });
    return true;
  }
  const isOpen = definition.auth === undefined && record === null;
  if (isOpen && !(await wantsSignIn(context, subject, parsed))) return false;
  if (record !== null && (await renewOrForget(context, subject, record, challenge))) return true;
  await storeChallenge(context, subject, { ...challenge, before: [], stepUps: noStepUps });
  throw await notSignedIn(context, subject);
}

/** Is there a newer token, or can it be refreshed? Otherwise it is forgotten. */
async function renewOrForget(
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
  else await endSignIn(context.vault, subject, "invalid_token", context.now());
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
    const protectedResource = await findResource(
      definition.url,
      challenge.resourceMetadata,
      await egress.namedBy(...ownersOf(definition)),
    );
    return protectedResource === null || protectedResource.issuers.includes(issuer);
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
    const authorization = await discover(url, { resourceMetadata, issuer: undefined }, gate);
    if (authorization !== null) discovered.add(url);
  } catch (thrown) {
    // A server that names no sign-in may just want a token.
    if (resourceMetadata !== null) throw withServer(subject.server, thrown);
  }
  return discovered.has(url);
}

async function requireMoreScopes(
  context: Context,
  subject: Subject,
  record: OAuthRecord | null,
  challenge: BearerChallenge,
) {
  if (record === null) return false;
  const scopeRequest = stepUp(record, challenge, context.now());
  if (scopeRequest === null) return false;
  const grantRequest = { resourceMetadata: challenge.resourceMetadata, ...scopeRequest };
  if (isOwnClient(subject.definition)) {
    const { requested } = await renew(context, subject, record, grantRequest);
    return scopeRequest.scopes.some((scope) => requested.includes(scope));
  }
  await storeChallenge(context, subject, grantRequest);
  throw authRequired(
    subject.server,
    "oauth",
    `it wants more rights (${scopeRequest.scopes.join(", ")})`,
  );
}

function storeChallenge(
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
