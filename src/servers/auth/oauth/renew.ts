import type { ServerDefinition } from "../../../model/servers/server.ts";
import { authRequired, OAuthProblem } from "../problems.ts";
import type { OAuthClient, OAuthRecord } from "../records.ts";
import type { Vault } from "../vault.ts";
import { chooseScopes } from "./challenge.ts";
import { reachOf } from "./checked-fetch.ts";
import { configuredClient, registrationKey } from "./client.ts";
import { discover } from "./discover.ts";
import { requestToken } from "./requests.ts";

type Remote = ServerDefinition & { url: string };

/** Rejects with AUTH_REQUIRED, and forgets the tokens, when they cannot be refreshed any more. */
export async function refresh(
  { vault, now }: { vault: Vault; now: number },
  { server, key, record }: { server: string; key: string; record: OAuthRecord },
  definition: Remote,
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
      reach: await reachOf(definition.url),
      now,
      grant: "refresh_token",
      fields: { refresh_token: refreshToken, resource },
    });
    const renewed: OAuthRecord = {
      ...record,
      ...tokens,
      // A server that does not rotate sends none.
      refreshToken: tokens.refreshToken ?? refreshToken,
      scopes: tokens.scopes ?? record.scopes,
    };
    await vault.write(key, renewed);
    return renewed;
  } catch (thrown) {
    if (!(thrown instanceof OAuthProblem) || thrown.oauthCode === null) throw thrown;
    await giveUp(vault, key, record, thrown);
    throw authRequired(server, "oauth", `it has to be signed in to again (${thrown.oauthCode})`);
  }
}

/** After a final refusal, unlike a failed network. */
async function giveUp(vault: Vault, key: string, record: OAuthRecord, problem: OAuthProblem): Promise<void> {
  const isClient = ["invalid_client", "unauthorized_client"].includes(problem.oauthCode ?? "");
  if (isClient && record.client.origin === "config") {
    const remedy = "Check 'auth.clientId' and 'auth.clientSecret'";
    throw new OAuthProblem(`${problem.message}. ${remedy}`, { configuration: true });
  }
  if (isClient) await vault.remove(registrationKey(record.issuer));
  await vault.remove(key);
}

/** The configured client counts as it is now; it cannot refresh another client's tokens. */
function currentClient(client: OAuthClient, { auth }: Remote): OAuthClient | null {
  if (client.origin !== "config") return client;
  return auth?.clientId === client.id ? { ...client, secret: auth.clientSecret || null } : null;
}

/** Without a person. */
export async function requestOwnToken(
  { vault, now }: { vault: Vault; now: number },
  { server: name, key }: { server: string; key: string },
  definition: Remote,
  wanted: { resourceMetadata: string | null; scopes: string[] | null; before: string[] },
): Promise<OAuthRecord> {
  const { url, auth } = definition;
  const reach = await reachOf(url);
  const hints = { resourceMetadata: wanted.resourceMetadata, issuer: auth?.issuer };
  const found = await discover(url, hints, reach);
  if (found === null) throw new OAuthProblem("no authorization server was found for it");
  const { server, resource } = found;
  const client = await configuredClient({ name, auth, server, vault });
  const requested = chooseScopes({
    configured: auth?.scopes,
    challenged: wanted.scopes,
    before: wanted.before,
    resource: found.scopes,
    server: server.scopes_supported ?? null,
    wantsRefreshToken: false,
  });
  const scope = requested.length > 0 ? { scope: requested.join(" ") } : {};
  const fields = { resource, ...scope };
  const tokens = await requestToken({ server, client, reach, now, grant: "client_credentials", fields });
  const record: OAuthRecord = {
    kind: "oauth",
    url,
    issuer: server.issuer,
    tokenEndpoint: server.token_endpoint,
    resource,
    client: { ...client, secret: null },
    requested,
    stepUps: { count: 0, since: 0 },
    ...tokens,
    refreshToken: null,
    scopes: tokens.scopes ?? requested,
  };
  await vault.write(key, record);
  return record;
}
