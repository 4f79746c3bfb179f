import { createHash } from "node:crypto";
import type { Egress } from "../../../lib/net/egress.ts";
import { PlaneError } from "../../../model/errors.ts";
import { ownersOf, type Remote } from "../credentials-contract.ts";
import { authRequired, errorCode, forFaces, OAuthProblem } from "../problems.ts";
import { type ChallengeRecord, challengeKey, noStepUps, type OAuthRecord } from "../records.ts";
import type { Vault } from "../vault.ts";
import { parseChallenge } from "./challenge.ts";
import { checkedFetch } from "./checked-fetch.ts";
import { chooseClient } from "./client.ts";
import type { Issuer } from "./discover.ts";
import { prepareGrant } from "./renew.ts";
import { loadLibrary, requestToken } from "./requests.ts";

const waitMs = 10 * 60_000;
const prefix = "sign-in/";

export type SignInOptions = { vault: Vault; egress: Egress; clientName: string; now(): number };

type SignInRequest = { server: string; user: string | null; redirectUri: string };

type Pending = SignInRequest &
  Pick<
    OAuthRecord,
    "url" | "issuer" | "tokenEndpoint" | "resource" | "client" | "requested" | "stepUps"
  > & {
    at: number;
    /** The configured addresses, beyond which the rest must not lead. */
    owners: string[];
    sendsIssuer: boolean;
    verifier: string;
  };

export async function beginSignIn(
  options: SignInOptions,
  request: SignInRequest,
  definition: Remote,
): Promise<{ url: string; state: string }> {
  const { vault, egress } = options;
  const now = options.now();
  const challenge = await knownChallenge(options, request, definition);
  const prepared = await prepareGrant(egress, definition, challenge, true);
  if (prepared === null)
    throw new OAuthProblem("it offers no sign-in. Give it a token in 'auth.token' instead");
  const { server, gate, grant } = prepared;
  const endpoint = codeEndpoint(server);
  const { auth } = definition;
  const client = await chooseClient({
    ...options,
    ...request,
    name: request.server,
    auth,
    server,
    gate,
    now,
  });
  const oauth = await loadLibrary();
  const state = oauth.generateRandomState();
  const pending: Pending = {
    ...request,
    ...grant,
    at: now,
    owners: ownersOf(definition),
    sendsIssuer: server.authorization_response_iss_parameter_supported === true,
    client,
    verifier: oauth.generateRandomCodeVerifier(),
    stepUps: challenge.stepUps,
  };
  await removeExpired(vault, now);
  await vault.write(pendingKey(state), pending);
  const codeChallenge = await oauth.calculatePKCECodeChallenge(pending.verifier);
  return { url: authorizationUrl(endpoint, pending, state, codeChallenge), state };
}

function codeEndpoint(server: Issuer): string {
  const {
    issuer,
    authorization_endpoint: endpoint,
    code_challenge_methods_supported: methods,
  } = server;
  if (endpoint === undefined)
    throw new OAuthProblem(
      `${issuer} lets no person sign in. Set 'auth.grant' to client_credentials`,
    );
  if (!methods?.includes("S256"))
    throw new OAuthProblem(`${issuer} does not offer PKCE with S256, without which it is not safe`);
  return endpoint;
}

function authorizationUrl(
  endpoint: string,
  pending: Pending,
  state: string,
  codeChallenge: string,
): string {
  const { client, redirectUri, resource, requested } = pending;
  const url = new URL(endpoint);
  const parameters = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: "S256",
    ...(resource !== "" && { resource }),
    ...(requested.length > 0 && { scope: requested.join(" ") }),
    // OpenID Connect grants a refresh token only with consent.
    ...(requested.includes("offline_access") && { prompt: "consent" }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Of an earlier refusal; else the server is asked now. */
async function knownChallenge(
  { vault, egress }: SignInOptions,
  { server, user }: SignInRequest,
  definition: Remote,
): Promise<ChallengeRecord> {
  const { url, headers } = definition;
  const storedChallenge = await vault.readIfPossible<ChallengeRecord>(challengeKey(server, user));
  if (storedChallenge?.url === url) return storedChallenge;
  if (definition.auth?.tokenUrl !== undefined)
    return { url, resourceMetadata: null, scopes: null, before: [], stepUps: noStepUps };
  // Where an API is may be its document's word.
  const isNamed = definition.openapi !== undefined;
  const gate = isNamed ? await egress.namedBy(...ownersOf(definition)) : egress.configured;
  const configuredHeaders = isNamed ? {} : headers;
  const response = await checkedFetch(gate)(url, {
    headers: {
      "content-type": "application/json",
      ...configuredHeaders,
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  }).catch(() => null);
  const { resourceMetadata = null, scopes = null } =
    parseChallenge(response?.headers.get("www-authenticate") ?? null) ?? {};
  return { url, resourceMetadata, scopes, before: [], stepUps: noStepUps };
}

/** Who comes back: a user, null for the shared session, undefined where only the state says it. */
type FinishingUser = string | null | undefined;

/** A state is good for one try. */
export async function finishSignIn(
  { vault, egress, now }: SignInOptions,
  parameters: URLSearchParams,
  user: FinishingUser,
): Promise<{ server: string; user: string | null; record: OAuthRecord }> {
  const pending = await takePending(vault, parameters.get("state"), now(), user);
  const { server } = pending;
  try {
    return {
      server,
      user: pending.user,
      record: await exchange(egress, pending, await checkedCode(pending, parameters), now()),
    };
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
    const validated = oauth.validateAuthResponse(
      metadata,
      { client_id: client.id },
      parameters,
      state,
    );
    const code = validated.get("code");
    if (code !== null) return code;
  } catch (thrown) {
    if (thrown instanceof oauth.AuthorizationResponseError)
      throw authRequired(server, "oauth", `${issuer} answered ${errorCode(thrown.error)}`);
    throw new OAuthProblem("the answer does not come from the authorization server that was asked");
  }
  throw new OAuthProblem(`${issuer} sent no code`);
}

async function takePending(vault: Vault, state: string | null, now: number, user: FinishingUser) {
  const key = pendingKey(state ?? "");
  const pending = await vault.readIfPossible<Pending>(key);
  const mayFinish = pending !== null && (user === undefined || pending.user === user);
  // Of several tries at once, one removes the entry.
  const isFirstTry = mayFinish && (await vault.remove(key));
  if (isFirstTry && now - pending.at <= waitMs) return pending;
  throw new PlaneError(
    "USAGE",
    "This sign-in is not known, too old or already done. Begin it again.",
  );
}

async function exchange(
  egress: Egress,
  pending: Pending,
  code: string,
  now: number,
): Promise<OAuthRecord> {
  const {
    url,
    issuer,
    tokenEndpoint,
    resource,
    client,
    requested,
    stepUps,
    redirectUri,
    verifier,
  } = pending;
  const tokens = await requestToken({
    server: { issuer, token_endpoint: tokenEndpoint },
    client,
    gate: await egress.namedBy(...pending.owners),
    now,
    grant: "authorization_code",
    fields: {
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...(resource !== "" && { resource }),
    },
  });
  const storedClient = client.origin === "config" ? { ...client, secret: null } : client;
  const grant = { url, issuer, tokenEndpoint, resource, client: storedClient, requested, stepUps };
  return { kind: "oauth", ...grant, ...tokens, scopes: tokens.scopes ?? requested };
}

async function removeExpired(vault: Vault, now: number): Promise<void> {
  for (const key of await vault.names(prefix)) {
    const pending = await vault.readIfPossible<Pending>(key);
    if (pending === null || now - pending.at > waitMs) await vault.remove(key);
  }
}

function pendingKey(state: string): string {
  return prefix + createHash("sha256").update(state).digest("hex");
}
