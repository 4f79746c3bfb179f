import type { Egress, StrictGate } from "../../../lib/net/egress.ts";
import type { ServerAuth } from "../../../model/servers/server.ts";
import { ownersOf, type Remote } from "../credentials-contract.ts";
import { authRequired, misconfigured, OAuthProblem } from "../problems.ts";
import { type ChallengeRecord, noStepUps, type OAuthClient, type OAuthRecord } from "../records.ts";
import type { Vault } from "../vault.ts";
import { chooseScopes } from "./challenge.ts";
import { allowedUrl, judgeName } from "./checked-fetch.ts";
import { configuredClient, registrationKey } from "./client.ts";
import { discover, type Issuer } from "./discover.ts";
import { requestToken } from "./requests.ts";

type Subject = { server: string; key: string; definition: Remote };
type Means = { vault: Vault; egress: Egress; now: number };

/** Rejects with AUTH_REQUIRED, and forgets the tokens, when they cannot be refreshed any more. */
export async function refresh(
  { vault, egress, now }: Means,
  { server, key, definition }: Subject,
  record: OAuthRecord,
): Promise<OAuthRecord> {
  const { refreshToken, issuer, tokenEndpoint, resource } = record;
  const client = refreshToken === null ? null : currentClient(record.client, definition);
  if (refreshToken === null || client === null) {
    await vault.remove(key);
    throw authRequired(server, "oauth", "it has to be signed in to again");
  }
  try {
    const tokens = await requestToken({
      server: { issuer, token_endpoint: tokenEndpoint },
      client,
      gate: await egress.namedBy(...ownersOf(definition)),
      now,
      grant: "refresh_token",
      fields: { refresh_token: refreshToken, ...(resource !== "" && { resource }) },
    });
    // A server that does not rotate sends no refresh token.
    const kept = {
      refreshToken: tokens.refreshToken ?? refreshToken,
      scopes: tokens.scopes ?? record.scopes,
    };
    const renewed: OAuthRecord = { ...record, ...tokens, ...kept };
    await vault.write(key, renewed);
    return renewed;
  } catch (thrown) {
    if (!(thrown instanceof OAuthProblem) || thrown.oauthCode === null) throw thrown;
    await giveUp(vault, key, record, thrown);
    throw authRequired(server, "oauth", `it has to be signed in to again (${thrown.oauthCode})`);
  }
}

/** After a final refusal, unlike a failed network. */
async function giveUp(
  vault: Vault,
  key: string,
  record: OAuthRecord,
  problem: OAuthProblem,
): Promise<void> {
  const isClient = ["invalid_client", "unauthorized_client"].includes(problem.oauthCode ?? "");
  if (isClient && record.client.origin === "config")
    throw misconfigured(`${problem.message}. Check 'auth.clientId' and 'auth.clientSecret'`);
  if (isClient) await vault.remove(registrationKey(record.issuer));
  await vault.remove(key);
}

/** The configured client counts as it is now; it cannot refresh another client's tokens. */
function currentClient(client: OAuthClient, { auth }: Remote): OAuthClient | null {
  if (client.origin !== "config") return client;
  return auth?.clientId === client.id ? { ...client, secret: auth.clientSecret || null } : null;
}

export type Wanted = Pick<ChallengeRecord, "resourceMetadata" | "scopes" | "before">;

/** Where a token is asked for, and with which scopes. Null when the server does not speak OAuth. */
export async function prepareGrant(
  egress: Egress,
  definition: Remote,
  wanted: Wanted,
  isForPerson: boolean,
) {
  const { url, auth } = definition;
  const gate = await egress.namedBy(...ownersOf(definition));
  const found =
    (await endpointsIn(auth, gate)) ??
    (await discover(
      url,
      { resourceMetadata: wanted.resourceMetadata, issuer: auth?.issuer },
      gate,
    ));
  if (found === null) return null;
  const { server, resource } = found;
  const wantsRefreshToken =
    isForPerson && (server.grant_types_supported?.includes("refresh_token") ?? true);
  const requested = chooseScopes({
    configured: auth?.scopes,
    challenged: wanted.scopes,
    before: wanted.before,
    resource: found.scopes,
    server: server.scopes_supported ?? null,
    wantsRefreshToken,
  });
  const { issuer, token_endpoint: tokenEndpoint } = server;
  return { server, gate, grant: { url, issuer, tokenEndpoint, resource, requested } };
}

/** Named by the configuration or by the description of an API, so that nothing is discovered. Such a server knows no resources. */
async function endpointsIn(auth: ServerAuth | undefined, gate: StrictGate) {
  if (auth?.tokenUrl === undefined) return null;
  const token = allowedUrl(auth.tokenUrl, "its token endpoint", gate);
  await judgeName(token, gate);
  const { authorizationUrl, issuer = token.origin } = auth;
  const server: Issuer = {
    issuer,
    token_endpoint: token.href,
    ...(authorizationUrl !== undefined && {
      authorization_endpoint: allowedUrl(authorizationUrl, "its sign-in", gate).href,
      code_challenge_methods_supported: ["S256"],
    }),
  };
  return { resource: "", scopes: null, server };
}

export async function requestOwnToken(
  { vault, egress, now }: Means,
  { server: name, key, definition }: Subject,
  wanted: Wanted,
): Promise<OAuthRecord> {
  const found = await prepareGrant(egress, definition, wanted, false);
  if (found === null) throw new OAuthProblem("no authorization server was found for it");
  const { server, gate, grant } = found;
  const client = await configuredClient({ name, auth: definition.auth, server, vault });
  const { resource, requested } = grant;
  const fields = {
    ...(resource !== "" && { resource }),
    ...(requested.length > 0 && { scope: requested.join(" ") }),
  };
  const tokens = await requestToken({
    server,
    client,
    gate,
    now,
    grant: "client_credentials",
    fields,
  });
  const record: OAuthRecord = {
    kind: "oauth",
    ...grant,
    client: { ...client, secret: null },
    stepUps: noStepUps,
    ...tokens,
    refreshToken: null,
    scopes: tokens.scopes ?? requested,
  };
  await vault.write(key, record);
  return record;
}
