import type { Egress, StrictGate } from "../../../lib/net/egress.ts";
import type { Endpoints } from "../../../lib/net/endpoints.ts";
import type { PlaneError } from "../../../model/errors.ts";
import type { ServerAuth } from "../../../model/servers/server.ts";
import { ownersOf, type Remote } from "../credentials-contract.ts";
import { asEnding, type Ending, misconfigured, OAuthProblem, signInEnded } from "../problems.ts";
import {
  type ChallengeRecord,
  type EndedSignIn,
  endedKey,
  noStepUps,
  type OAuthClient,
  type OAuthRecord,
} from "../records.ts";
import type { Vault } from "../vault.ts";
import { chooseScopes } from "./challenge.ts";
import { allowedUrl, judgeName } from "./checked-fetch.ts";
import { configuredClient, registrationKey } from "./client.ts";
import { discover, type Issuer } from "./discover.ts";
import { requestToken } from "./requests.ts";

type Subject = { server: string; user: string | null; key: string; definition: Remote };
type Means = { vault: Vault; egress: Egress; now: number; endpoints: Endpoints };

/** Rejects with AUTH_REQUIRED, and forgets the tokens, when they cannot be refreshed any more. */
export async function refresh(
  { vault, egress, now, endpoints }: Means,
  subject: Subject,
  record: OAuthRecord,
): Promise<OAuthRecord> {
  const { definition } = subject;
  const { refreshToken, issuer, tokenEndpoint, resource } = record;
  const client = refreshToken === null ? null : currentClient(record.client, definition);
  if (refreshToken === null || client === null) {
    const code = refreshToken === null ? "expired" : "client_changed";
    throw await endSignIn(vault, subject, code, now);
  }
  try {
    const gate = await egress.namedBy(...ownersOf(definition));
    const tokens = await endpoints.ask(new URL(tokenEndpoint).origin, () =>
      requestToken({
        server: { issuer, token_endpoint: tokenEndpoint },
        client,
        gate,
        now,
        grant: "refresh_token",
        fields: { refresh_token: refreshToken, ...(resource !== "" && { resource }) },
      }),
    );
    // A server that does not rotate sends no refresh token.
    const kept = {
      refreshToken: tokens.refreshToken ?? refreshToken,
      scopes: tokens.scopes ?? record.scopes,
    };
    const renewed: OAuthRecord = { ...record, ...tokens, ...kept };
    await vault.write(subject.key, renewed);
    return renewed;
  } catch (thrown) {
    // Any other answer, and a failed network, leave the sign-in as it is.
    const ending = thrown instanceof OAuthProblem ? asEnding(thrown.oauthCode) : null;
    if (ending === null) throw thrown;
    if (ending !== "invalid_grant") await forgetClient(vault, record, thrown as OAuthProblem);
    throw await endSignIn(vault, subject, ending, now);
  }
}

/** Throws where a person configured the client: then the tokens may still be good. */
async function forgetClient(
  vault: Vault,
  { client, issuer }: OAuthRecord,
  { message }: OAuthProblem,
): Promise<void> {
  if (client.origin === "config")
    throw misconfigured(`${message}. Check 'auth.clientId' and 'auth.clientSecret'`);
  await vault.remove(registrationKey(issuer));
}

/** Forgets the tokens, and keeps when and why. Gives what is to be thrown. */
export async function endSignIn(
  vault: Vault,
  { server, user, key, definition }: Subject,
  code: Ending,
  now: number,
): Promise<PlaneError> {
  const ended: EndedSignIn = { url: definition.url, at: new Date(now).toISOString(), code };
  await vault.write(endedKey(server, user), ended);
  await vault.remove(key);
  return signInEnded(server, ended, now);
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

/** Its endpoint may have to be found first, and what is asked for that may rest as well. */
export function requestOwnToken(
  means: Means,
  subject: Subject,
  wanted: Wanted,
): Promise<OAuthRecord> {
  const { auth, url } = subject.definition;
  const { origin } = new URL(auth?.tokenUrl ?? auth?.issuer ?? url);
  return means.endpoints.ask(origin, () => findAndRequest(means, subject, wanted));
}

async function findAndRequest(
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
