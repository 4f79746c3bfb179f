import type { ServerDefinition } from "../../../model/server.ts";
import { authRequired } from "../auth-required.ts";
import type { OAuthRecord } from "../records.ts";
import type { Vault } from "../vault.ts";
import { configuredClient, type OAuthClient, registrationKey } from "./client.ts";
import { discover } from "./discover.ts";
import { OAuthProblem } from "./problem.ts";
import { reachOf } from "./reach.ts";
import { chooseScopes } from "./scopes.ts";
import { requestToken } from "./token-request.ts";

type Remote = ServerDefinition & { url: string };

/** New tokens for old. Rejects with AUTH_REQUIRED, and forgets them, when they are good for nothing any more. */
export async function refresh(
  { vault, now }: { vault: Vault; now: number },
  { server, key, record }: { server: string; key: string; record: OAuthRecord },
  definition: Remote,
): Promise<OAuthRecord> {
  const { refreshToken, tokenEndpoint: endpoint, resource } = record;
  const client = refreshToken === null ? null : currentClient(record.client, definition);
  if (refreshToken === null || client === null) {
    await vault.remove(key);
    throw authRequired(server, "oauth", "it has to be signed in to again");
  }
  const fields = { grant_type: "refresh_token", refresh_token: refreshToken, resource };
  try {
    const reach = await reachOf(definition.url);
    const tokens = await requestToken({ endpoint, client, reach, now, fields });
    const renewed: OAuthRecord = {
      ...record,
      ...tokens,
      // Who does not rotate sends none and means the old one.
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

/** A no that will stay one, as opposed to a network that fails. */
async function giveUp(vault: Vault, key: string, record: OAuthRecord, problem: OAuthProblem): Promise<void> {
  const isClient = ["invalid_client", "unauthorized_client"].includes(problem.oauthCode ?? "");
  if (isClient && record.client.origin === "config") {
    const remedy = "Check 'auth.clientId' and 'auth.clientSecret'";
    throw new OAuthProblem(`${problem.message}. ${remedy}`, { configuration: true });
  }
  if (isClient) await vault.remove(registrationKey(record.issuer));
  await vault.remove(key);
}

/** A client from the configuration is used as it stands there now; tokens of another are of no use to it. */
function currentClient(client: OAuthClient, { auth }: Remote): OAuthClient | null {
  if (client.origin !== "config") return client;
  return auth?.clientId === client.id ? { ...client, secret: auth.clientSecret || null } : null;
}

/** A token for the client itself; nobody signs in. */
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
    server: server.scopes,
    refreshes: false,
  });
  const scope = requested.length > 0 ? { scope: requested.join(" ") } : {};
  const fields = { grant_type: "client_credentials", resource, ...scope };
  const tokens = await requestToken({ endpoint: server.tokenEndpoint, client, reach, now, fields });
  const record: OAuthRecord = {
    ...{ kind: "oauth", url, issuer: server.issuer, tokenEndpoint: server.tokenEndpoint, resource },
    ...{ client: { ...client, secret: null }, requested, stepUps: { count: 0, since: 0 } },
    ...tokens,
    refreshToken: null,
    scopes: tokens.scopes ?? requested,
  };
  await vault.write(key, record);
  return record;
}
