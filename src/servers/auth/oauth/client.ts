import { isLoopbackHost, type StrictGate } from "../../../lib/net/egress.ts";
import { stringOrNull } from "../../../model/json.ts";
import type { ServerAuth } from "../../../model/servers/server.ts";
import { misconfigured, OAuthProblem } from "../problems.ts";
import { type OAuthClient, type TokenMethod, tokenMethods } from "../records.ts";
import type { Vault } from "../vault.ts";
import type { Issuer } from "./discover.ts";
import { requestRegistration } from "./requests.ts";

type ClientRequest = {
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
export async function chooseClient(request: ClientRequest): Promise<OAuthClient> {
  const { auth, server } = request;
  if (auth?.clientId !== undefined) return configuredClient(request);
  if (auth?.clientMetadataUrl !== undefined && server.client_id_metadata_document_supported)
    return { id: auth.clientMetadataUrl, secret: null, method: "none", origin: "document" };
  if (server.registration_endpoint !== undefined) return registeredClient(request);
  const remedy =
    "Register a client there and set 'auth.clientId' and, if it has one, 'auth.clientSecret'";
  throw misconfigured(`${server.issuer} registers no clients by itself. ${remedy}`);
}

/** A secret of one issuer is never sent to another, even if the MCP server names a new one. */
export async function configuredClient(
  request: Pick<ClientRequest, "name" | "auth" | "server" | "vault">,
): Promise<OAuthClient> {
  const { name, auth, server, vault } = request;
  const id = auth?.clientId;
  if (id === undefined)
    throw misconfigured("a client is needed. Set 'auth.clientId' and 'auth.clientSecret'");
  const secret = auth?.clientSecret || null;
  const key = `issuer/${JSON.stringify([name, id])}`;
  const boundIssuer = auth?.issuer ?? (await vault.readIfPossible(key));
  if (typeof boundIssuer === "string" && boundIssuer !== server.issuer)
    throw misconfigured(
      `its client '${id}' belongs to ${boundIssuer}, but the server now names ${server.issuer}. If that is right, set 'auth.issuer'`,
    );
  if (boundIssuer === null) await vault.write(key, server.issuer);
  return { id, secret, method: methodFor(secret, server), origin: "config" };
}

type Registration = { redirectUri: string; client: OAuthClient; expiresAt: number };

async function registeredClient(request: ClientRequest): Promise<OAuthClient> {
  const { server, redirectUri, vault, now } = request;
  const key = registrationKey(server.issuer);
  const storedRegistration = await vault.readIfPossible<Registration>(key);
  if (
    storedRegistration?.redirectUri === redirectUri &&
    (storedRegistration.expiresAt === 0 || storedRegistration.expiresAt > now)
  )
    return storedRegistration.client;
  const registration = await register(request);
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
}: ClientRequest): Promise<Registration> {
  const offered = methodsOf(server);
  const metadata = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: preferredMethod(offered),
    application_type: isLoopbackHost(new URL(redirectUri)) ? "native" : "web",
  };
  const registered = await requestRegistration(server, metadata, gate);
  const secret = stringOrNull(registered.client_secret);
  const chosen = tokenMethods.find(
    (tokenMethod) => tokenMethod === registered.token_endpoint_auth_method,
  );
  const method = chosen ?? methodFor(secret, server);
  const expiresAt = secret === null ? 0 : Number(registered.client_secret_expires_at) * 1_000;
  return {
    redirectUri,
    client: { id: registered.client_id, secret, method, origin: "registered" },
    expiresAt,
  };
}

function methodFor(secret: string | null, server: Issuer): TokenMethod {
  if (secret === null) return "none";
  const [method] = methodsOf(server);
  if (method !== undefined) return method;
  throw new OAuthProblem(`${server.issuer} takes no client secret in a way that is supported`);
}

/** Without a secret where that is offered. */
function preferredMethod(offered: readonly TokenMethod[]): TokenMethod {
  if (offered.includes("none")) return "none";
  return offered[0] ?? "client_secret_basic";
}

/** In our order. RFC 8414: a server that lists none takes `client_secret_basic`. */
function methodsOf({ token_endpoint_auth_methods_supported: supported }: Issuer): TokenMethod[] {
  return tokenMethods.filter((method) => (supported ?? ["client_secret_basic"]).includes(method));
}
