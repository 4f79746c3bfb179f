import { createHash } from "node:crypto";
import { PlaneError } from "../../../model/errors.ts";
import type { ServerDefinition } from "../../../model/servers/server.ts";
import { authRequired, errorCode, forFaces, OAuthProblem } from "../problems.ts";
import { type ChallengeRecord, challengeKey, type OAuthClient, type OAuthRecord, type StepUps } from "../records.ts";
import type { Vault } from "../vault.ts";
import { chooseScopes, parseChallenge } from "./challenge.ts";
import { checkedFetch, reachOf } from "./checked-fetch.ts";
import { chooseClient } from "./client.ts";
import { discover, type Issuer } from "./discover.ts";
import { loadLibrary, requestToken } from "./requests.ts";

/** How long a person may take. */
const waitMs = 10 * 60_000;
const prefix = "sign-in/";

export type SignInOptions = { vault: Vault; clientName: string; now(): number };

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
  const { server, resource } = found;
  const endpoint = codeEndpoint(server);
  const wanted = { ...options, name: who.server, auth, server, redirectUri: who.redirectUri, reach };
  const client = await chooseClient({ ...wanted, now: now() });
  const requested = chooseScopes({
    configured: auth?.scopes,
    challenged: challenge.scopes,
    before: challenge.before,
    resource: found.scopes,
    server: server.scopes_supported ?? null,
    wantsRefreshToken: server.grant_types_supported?.includes("refresh_token") ?? true,
  });
  const oauth = await loadLibrary();
  const state = oauth.generateRandomState();
  const pending: Pending = {
    ...who,
    url,
    at: now(),
    issuer: server.issuer,
    sendsIssuer: server.authorization_response_iss_parameter_supported === true,
    tokenEndpoint: server.token_endpoint,
    resource,
    client,
    verifier: oauth.generateRandomCodeVerifier(),
    requested,
    stepUps: challenge.stepUps,
  };
  await forgetOld(vault, now());
  await vault.write(pendingKey(state), pending);
  const codeChallenge = await oauth.calculatePKCECodeChallenge(pending.verifier);
  return { url: authorizationUrl(endpoint, pending, state, codeChallenge), state };
}

function codeEndpoint(server: Issuer): string {
  const { issuer, authorization_endpoint: endpoint, code_challenge_methods_supported: methods } = server;
  if (endpoint === undefined)
    throw new OAuthProblem(`${issuer} lets no person sign in. Set 'auth.grant' to client_credentials`);
  if (!methods?.includes("S256"))
    throw new OAuthProblem(`${issuer} does not offer PKCE with S256, without which it is not safe`);
  return endpoint;
}

function authorizationUrl(endpoint: string, pending: Pending, state: string, codeChallenge: string): string {
  const { client, redirectUri, resource, requested } = pending;
  const url = new URL(endpoint);
  const values = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: "S256",
    resource,
    ...(requested.length > 0 ? { scope: requested.join(" ") } : {}),
    // OpenID Connect grants a refresh token only with consent.
    ...(requested.includes("offline_access") ? { prompt: "consent" } : {}),
  };
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  return url.href;
}

/** Of an earlier refusal; else the server is asked now. */
async function knownChallenge(
  vault: Vault,
  { server, user }: { server: string; user: string | null },
  definition: ServerDefinition & { url: string },
): Promise<ChallengeRecord> {
  const { url, headers } = definition;
  const known = (await vault.readIfPossible(challengeKey(server, user))) as ChallengeRecord | null;
  if (known?.url === url) return known;
  // The address is configured, so it may be anywhere.
  const asked = await checkedFetch({ privateToo: true })(url, {
    headers: {
      "content-type": "application/json",
      ...headers,
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  }).catch(() => null);
  const challenge = parseChallenge(asked?.headers.get("www-authenticate") ?? null);
  const { resourceMetadata = null, scopes = null } = challenge ?? {};
  return { url, resourceMetadata, scopes, before: [], stepUps: { count: 0, since: 0 } };
}

export type Finished = { server: string; user: string | null; record: OAuthRecord };

/** A state is good for one try. */
export async function finishSignIn(
  { vault, now }: SignInOptions,
  parameters: URLSearchParams,
  user: string | null | undefined,
): Promise<Finished> {
  const pending = await takePending(vault, parameters.get("state"), now(), user);
  const { server } = pending;
  try {
    const code = await checkedCode(pending, parameters);
    return { server, user: pending.user, record: await exchange(pending, code, now()) };
  } catch (thrown) {
    throw forFaces(server, thrown);
  }
}

/** The library checks the issuer first (RFC 9207), also of an error. */
async function checkedCode(pending: Pending, parameters: URLSearchParams): Promise<string> {
  const { server, issuer, sendsIssuer, client } = pending;
  const oauth = await loadLibrary();
  const metadata = { issuer, authorization_response_iss_parameter_supported: sendsIssuer };
  const state = parameters.get("state") ?? "";
  try {
    const checked = oauth.validateAuthResponse(metadata, { client_id: client.id }, parameters, state);
    const code = checked.get("code");
    if (code !== null) return code;
  } catch (thrown) {
    if (thrown instanceof oauth.AuthorizationResponseError)
      throw authRequired(server, "oauth", `${issuer} answered ${errorCode(thrown.error)}`);
    throw new OAuthProblem("the answer does not come from the authorization server that was asked");
  }
  throw new OAuthProblem(`${issuer} sent no code`);
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

async function exchange(pending: Pending, code: string, now: number): Promise<OAuthRecord> {
  const { url, issuer, tokenEndpoint, resource, client, requested, stepUps } = pending;
  const tokens = await requestToken({
    server: { issuer, token_endpoint: tokenEndpoint },
    client,
    reach: await reachOf(url),
    now,
    grant: "authorization_code",
    fields: { code, redirect_uri: pending.redirectUri, code_verifier: pending.verifier, resource },
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
