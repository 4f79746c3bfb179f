import { isLoopbackHost, type StrictGate } from "../../../lib/net/egress.ts";
import type { ServerAuth } from "../../../model/servers/server.ts";
import { misconfigured, OAuthProblem } from "../problems.ts";
import { type OAuthClient, type TokenMethod, tokenMethods } from "../records.ts";
import type { Vault } from "../vault.ts";
import type { Issuer } from "./discover.ts";
import { requestRegistration } from "./requests.ts";

type ClientWanted = {
  name: string;
  auth: ServerAuth | undefined;
  server: Issuer;
  redirectUri: string;
  clientName: string;
  vault: Vault;
  gate: StrictGate;
  now: number;
};

/** The configured client, else our metadata document, else a registered client. */
export async function chooseClient(wanted: ClientWanted): Promise<OAuthClient> {
  const { auth, server } = wanted;
  if (auth?.clientId !== undefined) return configuredClient(wanted);
  if (auth?.clientMetadataUrl !== undefined && server.client_id_metadata_document_supported)
    return { id: auth.clientMetadataUrl, secret: null, method: "none", origin: "document" };
  if (server.registration_endpoint !== undefined) return registeredClient(wanted);
  const remedy =
    "Register a client there and set 'auth.clientId' and, if it has one, 'auth.clientSecret'";
  throw misconfigured(`${server.issuer} registers no clients by itself. ${remedy}`);
}

/** A secret of one issuer is never sent to another, even if the MCP server names a new one. */
export async function configuredClient(
  wanted: Pick<ClientWanted, "name" | "auth" | "server" | "vault">,
): Promise<OAuthClient> {
  const { name, auth, server, vault } = wanted;
  const id = auth?.clientId;
  if (id === undefined)
    throw misconfigured("a client is needed. Set 'auth.clientId' and 'auth.clientSecret'");
  const secret = auth?.clientSecret || null;
  const key = `issuer/${JSON.stringify([name, id])}`;
  const known = auth?.issuer ?? (await vault.readIfPossible(key));
  if (typeof known === "string" && known !== server.issuer)
    throw misconfigured(
      `its client '${id}' belongs to ${known}, but the server now names ${server.issuer}. If that is right, set 'auth.issuer'`,
    );
  if (known === null) await vault.write(key, server.issuer);
  return { id, secret, method: methodFor(secret, server), origin: "config" };
}

type Registration = { redirectUri: string; client: OAuthClient; expiresAt: number };

async function registeredClient(wanted: ClientWanted): Promise<OAuthClient> {
  const { server, redirectUri, vault, now } = wanted;
  const key = registrationKey(server.issuer);
  const known = await vault.readIfPossible<Registration>(key);
  if (known?.redirectUri === redirectUri && (known.expiresAt === 0 || known.expiresAt > now))
    return known.client;
  const registration = await register(wanted);
  await vault.write(key, registration);
  return registration.client;
}

export function registrationKey(issuer: string): string {
  return `client/${JSON.stringify(issuer)}`;
}

async function register({
  server,
  redirectUri,
  clientName,
  gate,
}: ClientWanted): Promise<Registration> {
  const offered = methodsOf(server);
  const metadata = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: offered.includes("none")
      ? "none"
      : (offered[0] ?? "client_secret_basic"),
    application_type: isLoopbackHost(new URL(redirectUri)) ? "native" : "web",
  };
  const given = await requestRegistration(server, metadata, gate);
  const secret = typeof given.client_secret === "string" ? given.client_secret : null;
  const chosen = tokenMethods.find((one) => one === given.token_endpoint_auth_method);
  const method = chosen ?? methodFor(secret, server);
  const expiresAt = secret === null ? 0 : Number(given.client_secret_expires_at) * 1_000;
  return {
    redirectUri,
    client: { id: given.client_id, secret, method, origin: "registered" },
    expiresAt,
  };
}

function methodFor(secret: string | null, server: Issuer): TokenMethod {
  if (secret === null) return "none";
  const [method] = methodsOf(server);
  if (method !== undefined) return method;
  throw new OAuthProblem(`${server.issuer} takes no client secret in a way that is supported`);
}

/** In our order. RFC 8414: a server that lists none takes `client_secret_basic`. */
function methodsOf({ token_endpoint_auth_methods_supported: listed }: Issuer): TokenMethod[] {
  return tokenMethods.filter((one) => (listed ?? ["client_secret_basic"]).includes(one));
}
