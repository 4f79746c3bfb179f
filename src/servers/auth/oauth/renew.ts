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
type RenewalContext = { vault: Vault; egress: Egress; now: number; endpoints: Endpoints };

/** Rejects with AUTH_REQUIRED, and forgets the tokens, when they cannot be refreshed any more. */
export async function refresh(
  { vault, egress, now, endpoints }: RenewalContext,
  subject: Subject,
  record: OAuthRecord,
): Promise<OAuthRecord> {
  const { definition } = subject;
  const { refreshToken, issuer, tokenEndpoint, resource } = record;
  if (refreshToken === null) throw await endSignIn(vault, subject, "expired", now);
  const client = currentClient(record.client, definition);
  if (client === null) throw await endSignIn(vault, subject, "client_changed", now);
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
    const renewed: OAuthRecord = {
      ...record,
      ...tokens,
      refreshToken: tokens.refreshToken ?? refreshToken,
      scopes: tokens.scopes ?? record.scopes,
    };
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
  if (auth?.clientId !== client.id) return null;
  return { ...client, secret: auth.clientSecret || null };
}

export type GrantRequest = Pick<ChallengeRecord, "resourceMetadata" | "scopes" | "before">;

/** Where a token is asked for, and with which scopes. Null when the server does not speak OAuth. */
export async function prepareGrant(
  egress: Egress,
  definition: Remote,
  grantRequest: GrantRequest,
  isForPerson: boolean,
) {
  const { url, auth } = definition;
  const gate = await egress.namedBy(...ownersOf(definition));
  const authorization =
    (await configuredEndpoints(auth, gate)) ??
    (await discover(
      url,
      { resourceMetadata: grantRequest.resourceMetadata, issuer: auth?.issuer },
      gate,
    ));
  if (authorization === null) return null;
  const { server, resource } = authorization;
  const wantsRefreshToken =
    isForPerson && (server.grant_types_supported?.includes("refresh_token") ?? true);
  const requested = chooseScopes({
    configured: auth?.scopes,
    challenged: grantRequest.scopes,
    before: grantRequest.before,
    resource: authorization.scopes,
    server: server.scopes_supported ?? null,
    wantsRefreshToken,
  });
  const { issuer, token_endpoint: tokenEndpoint } = server;
  return { server, gate, grant: { url, issuer, tokenEndpoint, resource, requested } };
}

/** Named by the configuration or by the description of an API, so that nothing is discovered. Such a server knows no resources. */
async function configuredEndpoints(auth: ServerAuth | undefined, gate: StrictGate) {
  if (auth?.tokenUrl === undefined) return null;
  const tokenEndpoint = allowedUrl(auth.tokenUrl, "its token endpoint", gate);
  await judgeName(tokenEndpoint, gate);
  const { authorizationUrl, issuer = tokenEndpoint.origin } = auth;
  const server: Issuer = {
    issuer,
    token_endpoint: tokenEndpoint.href,
    ...(authorizationUrl !== undefined && {
      authorization_endpoint: allowedUrl(authorizationUrl, "its sign-in", gate).href,
      code_challenge_methods_supported: ["S256"],
    }),
  };
  return { resource: "", scopes: null, server };
}

/** Its endpoint may have to be found first, and what is asked for that may rest as well. */
export function requestOwnToken(
  renewalContext: RenewalContext,
  subject: Subject,
  grantRequest: GrantRequest,
): Promise<OAuthRecord> {
  const { auth, url } = subject.definition;
  const { origin } = new URL(auth?.tokenUrl ?? auth?.issuer ?? url);
  return renewalContext.endpoints.ask(origin, () =>
    findAndRequest(renewalContext, subject, grantRequest),
  );
}

async function findAndRequest(
  { vault, egress, now }: RenewalContext,
  { server: name, key, definition }: Subject,
  grantRequest: GrantRequest,
): Promise<OAuthRecord> {
  const prepared = await prepareGrant(egress, definition, grantRequest, false);
  if (prepared === null) throw new OAuthProblem("no authorization server was found for it");
  const { server, gate, grant } = prepared;
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
