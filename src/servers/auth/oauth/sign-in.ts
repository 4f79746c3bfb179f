import { createHash, randomBytes } from "node:crypto";
import { PlaneError } from "../../../model/errors.ts";
import type { ServerDefinition } from "../../../model/server.ts";
import { authRequired, forFaces } from "../auth-required.ts";
import { type ChallengeRecord, challengeKey, type OAuthRecord, type StepUps } from "../records.ts";
import type { Vault } from "../vault.ts";
import { ask } from "./ask.ts";
import { parseChallenge } from "./challenge.ts";
import { chooseClient, type OAuthClient } from "./client.ts";
import { type Discovered, discover } from "./discover.ts";
import { errorCode, OAuthProblem } from "./problem.ts";
import { reachOf } from "./reach.ts";
import { chooseScopes } from "./scopes.ts";
import { requestToken } from "./token-request.ts";

/** How long a person may take. */
const waitMs = 10 * 60_000;
const prefix = "sign-in/";

export type SignInOptions = { vault: Vault; clientName: string; now(): number };

/** A sign-in that waits for the browser to come back. */
type Pending = {
  server: string;
  user: string | null;
  url: string;
  at: number;
  issuer: string;
  sendsIssuer: boolean;
  tokenEndpoint: string;
  resource: string;
  client: OAuthClient;
  verifier: string;
  redirectUri: string;
  requested: string[];
  stepUps: StepUps;
};

export type Begun = { url: string; state: string };

export async function beginSignIn(
  options: SignInOptions,
  who: { server: string; user: string | null; redirectUri: string },
  definition: ServerDefinition & { url: string },
): Promise<Begun> {
  const { vault, now } = options;
  const { url, auth } = definition;
  const challenge = await knownChallenge(vault, who, definition);
  const reach = await reachOf(url);
  const hints = { resourceMetadata: challenge.resourceMetadata, issuer: auth?.issuer };
  const found = await discover(url, hints, reach);
  if (found === null) throw new OAuthProblem("it offers no sign-in. Give it a token in 'auth.token' instead");
  const { server } = found;
  const endpoint = checkCodeFlow(found);
  const wanted = { ...options, name: who.server, auth, server, redirectUri: who.redirectUri, reach };
  const client = await chooseClient({ ...wanted, now: now() });
  const requested = chooseScopes({
    configured: auth?.scopes,
    challenged: challenge.scopes,
    before: challenge.before,
    resource: found.scopes,
    server: server.scopes,
    refreshes: server.grantTypes?.includes("refresh_token") ?? true,
  });
  const { issuer, sendsIssuer, tokenEndpoint } = server;
  const verifier = randomBytes(32).toString("base64url");
  const state = randomBytes(32).toString("base64url");
  const pending: Pending = {
    ...who,
    ...{ url, at: now(), issuer, sendsIssuer, tokenEndpoint, resource: found.resource },
    ...{ client, verifier, requested, stepUps: challenge.stepUps },
  };
  await forgetOld(vault, now());
  await vault.write(pendingKey(state), pending);
  return { url: authorizationUrl(endpoint, pending, state), state };
}

function checkCodeFlow({ server }: Discovered): string {
  if (server.authorizationEndpoint === null)
    throw new OAuthProblem(`${server.issuer} lets no person sign in. Set 'auth.grant' to client_credentials`);
  if (!server.challengeMethods.includes("S256"))
    throw new OAuthProblem(`${server.issuer} does not offer PKCE with S256, without which it is not safe`);
  return server.authorizationEndpoint;
}

function authorizationUrl(endpoint: string, pending: Pending, state: string): string {
  const { client, redirectUri, verifier, resource, requested } = pending;
  const url = new URL(endpoint);
  const values = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource,
    ...(requested.length > 0 ? { scope: requested.join(" ") } : {}),
    // OpenID Connect gives a refresh token only to who consents to it.
    ...(requested.includes("offline_access") ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  return url.href;
}

/** What a refusal told before; without one the server is asked for it now. */
async function knownChallenge(
  vault: Vault,
  { server, user }: { server: string; user: string | null },
  definition: ServerDefinition & { url: string },
): Promise<ChallengeRecord> {
  const { url, headers } = definition;
  const known = (await vault.readIfPossible(challengeKey(server, user))) as ChallengeRecord | null;
  if (known?.url === url) return known;
  const asked = await ask({
    url: new URL(url),
    // The address stands in the configuration, so it may be anywhere.
    reach: { privateToo: true },
    headers: { ...headers, accept: "application/json, text/event-stream" },
    json: { jsonrpc: "2.0", id: 1, method: "ping" },
  }).catch(() => null);
  const told = parseChallenge(asked?.wwwAuthenticate ?? null);
  const { resourceMetadata = null, scopes = null } = told ?? {};
  return { url, resourceMetadata, scopes, before: [], stepUps: { count: 0, since: 0 } };
}

export type Finished = { server: string; user: string | null; record: OAuthRecord };

/** Takes what the browser brought back. A state is good for one try. */
export async function finishSignIn(
  { vault, now }: SignInOptions,
  parameters: URLSearchParams,
  user: string | null | undefined,
): Promise<Finished> {
  const pending = await takePending(vault, parameters.get("state"), now(), user);
  const { server, issuer } = pending;
  try {
    // Before anything else, also of an error: it may come from another server than the one that was asked.
    checkIssuer(parameters.get("iss"), pending);
    const error = parameters.get("error");
    if (error !== null) throw authRequired(server, "oauth", `${issuer} answered ${errorCode(error)}`);
    const code = parameters.get("code");
    if (code === null) throw new OAuthProblem(`${issuer} sent no code`);
    return { server, user: pending.user, record: await exchange(pending, code, now()) };
  } catch (thrown) {
    throw forFaces(server, thrown);
  }
}

async function takePending(
  vault: Vault,
  state: string | null,
  now: number,
  user: string | null | undefined,
): Promise<Pending> {
  const key = pendingKey(state ?? "");
  const found = (await vault.readIfPossible(key)) as Pending | null;
  const isTheirs = found !== null && (user === undefined || found.user === user);
  const isMine = isTheirs && (await vault.remove(key)) && now - found.at <= waitMs;
  if (isMine) return found;
  throw new PlaneError("USAGE", "This sign-in is not known, too old or already done. Begin it again.");
}

/** RFC 9207, compared as text. */
function checkIssuer(iss: string | null, { issuer, sendsIssuer }: Pending): void {
  if (iss === null && !sendsIssuer) return;
  if (iss !== issuer)
    throw new OAuthProblem("the answer does not come from the authorization server that was asked");
}

async function exchange(pending: Pending, code: string, now: number): Promise<OAuthRecord> {
  const { url, issuer, tokenEndpoint, resource, client, requested, stepUps } = pending;
  const tokens = await requestToken({
    endpoint: tokenEndpoint,
    client,
    reach: await reachOf(url),
    now,
    fields: {
      grant_type: "authorization_code",
      code,
      redirect_uri: pending.redirectUri,
      code_verifier: pending.verifier,
      resource,
    },
  });
  const kept = client.origin === "config" ? { ...client, secret: null } : client;
  return {
    ...{ kind: "oauth", url, issuer, tokenEndpoint, resource, client: kept, requested, stepUps },
    ...tokens,
    scopes: tokens.scopes ?? requested,
  };
}

async function forgetOld(vault: Vault, now: number): Promise<void> {
  for (const key of await vault.names(prefix)) {
    const pending = (await vault.readIfPossible(key)) as Pending | null;
    if (pending === null || now - pending.at > waitMs) await vault.remove(key);
  }
}

function pendingKey(state: string): string {
  return prefix + createHash("sha256").update(state).digest("hex");
}
