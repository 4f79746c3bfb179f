import type { ServerAuth } from "../../../model/server.ts";
import type { Vault } from "../vault.ts";
import { ask } from "./ask.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { errorCode, OAuthProblem } from "./problem.ts";
import { hostOf, isLoopback, type Reach } from "./reach.ts";

const methods = ["client_secret_basic", "client_secret_post", "none"] as const;
type TokenMethod = (typeof methods)[number];

/** Who we are at one authorization server, and never at another. */
export type OAuthClient = {
  id: string;
  secret: string | null;
  method: TokenMethod;
  origin: "config" | "document" | "registered";
};

export type ClientWanted = {
  /** The MCP server's name. */
  name: string;
  auth: ServerAuth | undefined;
  server: AuthorizationServer;
  redirectUri: string;
  clientName: string;
  vault: Vault;
  reach: Reach;
  now: number;
};

/** Registered by hand, else by our metadata document, else by asking to be registered. */
export async function chooseClient(wanted: ClientWanted): Promise<OAuthClient> {
  const { auth, server } = wanted;
  if (auth?.clientId !== undefined) return configuredClient(wanted);
  if (auth?.clientMetadataUrl !== undefined && server.takesMetadataDocuments)
    return { id: auth.clientMetadataUrl, secret: null, method: "none", origin: "document" };
  if (server.registrationEndpoint !== null) return registeredClient(wanted, server.registrationEndpoint);
  const remedy = "Register a client there and set 'auth.clientId' and, if it has one, 'auth.clientSecret'";
  throw new OAuthProblem(`${server.issuer} registers no clients by itself. ${remedy}`, {
    configuration: true,
  });
}

/** A secret that was registered at one issuer is never shown to another, whatever the MCP server says later. */
export async function configuredClient(
  wanted: Pick<ClientWanted, "name" | "auth" | "server" | "vault">,
): Promise<OAuthClient> {
  const { name, auth, server, vault } = wanted;
  const id = auth?.clientId;
  if (id === undefined) {
    const message = "a client is needed. Set 'auth.clientId' and 'auth.clientSecret'";
    throw new OAuthProblem(message, { configuration: true });
  }
  const secret = auth?.clientSecret || null;
  const key = `issuer/${JSON.stringify([name, id])}`;
  const known = auth?.issuer ?? (await vault.readIfPossible(key));
  if (typeof known === "string" && known !== server.issuer) {
    const message = `its client '${id}' belongs to ${known}, but the server now names ${server.issuer}. If that is right, set 'auth.issuer'`;
    throw new OAuthProblem(message, { configuration: true });
  }
  if (known === null) await vault.write(key, server.issuer);
  return { id, secret, method: methodFor(secret, server), origin: "config" };
}

type Registration = { redirectUri: string; client: OAuthClient; expiresAt: number };

async function registeredClient(wanted: ClientWanted, endpoint: string): Promise<OAuthClient> {
  const { server, redirectUri, vault, now } = wanted;
  const key = registrationKey(server.issuer);
  const known = (await vault.readIfPossible(key)) as Registration | null;
  const isUsable = known?.redirectUri === redirectUri && (known.expiresAt === 0 || known.expiresAt > now);
  if (known && isUsable) return known.client;
  const registration = await register(wanted, endpoint);
  await vault.write(key, registration);
  return registration.client;
}

export function registrationKey(issuer: string): string {
  return `client/${JSON.stringify(issuer)}`;
}

async function register(wanted: ClientWanted, endpoint: string): Promise<Registration> {
  const { server, redirectUri, clientName, reach } = wanted;
  const { status, body } = await ask({
    url: new URL(endpoint),
    reach,
    json: {
      client_name: clientName,
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: methodToRegister(server),
      application_type: isLoopback(hostOf(new URL(redirectUri))) ? "native" : "web",
    },
  });
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: method } = body ?? {};
  if (status >= 400 || typeof id !== "string") {
    const code = errorCode(body?.error);
    throw new OAuthProblem(`${server.issuer} did not register us: ${code} (HTTP ${status})`, { code });
  }
  const given = typeof secret === "string" && secret !== "" ? secret : null;
  const told = methods.find((one) => one === method);
  const expires = body?.client_secret_expires_at;
  return {
    redirectUri,
    client: { id, secret: given, method: told ?? methodFor(given, server), origin: "registered" },
    expiresAt: given !== null && typeof expires === "number" ? expires * 1_000 : 0,
  };
}

/** RFC 8414: who does not say takes `client_secret_basic`. */
function methodFor(secret: string | null, { tokenMethods, issuer }: AuthorizationServer): TokenMethod {
  if (secret === null) return "none";
  const method = methods.find((one) => (tokenMethods ?? ["client_secret_basic"]).includes(one));
  if (method !== undefined) return method;
  throw new OAuthProblem(`${issuer} takes no client secret in a way that is supported`);
}

function methodToRegister({ tokenMethods }: AuthorizationServer): TokenMethod {
  const offered = tokenMethods ?? ["client_secret_basic"];
  return offered.includes("none")
    ? "none"
    : (methods.find((one) => offered.includes(one)) ?? "client_secret_basic");
}
