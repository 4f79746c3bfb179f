import { ask } from "./ask.ts";
import { type AuthorizationServer, findAuthorizationServer, texts } from "./authorization-server.ts";
import { OAuthProblem } from "./problem.ts";
import { allowedUrl, type Reach } from "./reach.ts";

/** What the MCP server says about itself (RFC 9728). */
export type ProtectedResource = { resource: string; issuers: string[]; scopes: string[] | null };

export type Discovered = { resource: string; scopes: string[] | null; server: AuthorizationServer };

export type Hints = { resourceMetadata: string | null; issuer: string | undefined };

/** Who lets us in, and to what. Null when the server knows nothing of OAuth. */
export async function discover(serverUrl: string, hints: Hints, reach: Reach): Promise<Discovered | null> {
  const found = await findResource(serverUrl, hints.resourceMetadata, reach);
  // Before RFC 9728 the server's own origin was the authorization server.
  const issuers = found?.issuers ?? [hints.issuer ?? new URL(serverUrl).origin];
  const issuer = chooseIssuer(issuers, hints.issuer);
  const server = await findAuthorizationServer(issuer, reach);
  if (server !== null)
    return { resource: found?.resource ?? canonical(serverUrl), scopes: found?.scopes ?? null, server };
  if (found === null && hints.issuer === undefined) return null;
  throw new OAuthProblem(`no metadata of the authorization server was found at ${new URL(issuer).origin}`);
}

function chooseIssuer(issuers: readonly string[], wanted: string | undefined): string {
  const issuer = wanted === undefined ? issuers[0] : issuers.find((one) => one === wanted);
  if (issuer !== undefined) return issuer;
  if (wanted === undefined) throw new OAuthProblem("its resource metadata names no authorization server");
  const message = `the server does not accept tokens of ${wanted}. Correct 'auth.issuer', or remove it`;
  throw new OAuthProblem(message, { configuration: true });
}

export async function findResource(
  serverUrl: string,
  resourceMetadata: string | null,
  reach: Reach,
): Promise<ProtectedResource | null> {
  for (const url of resourceUrls(new URL(serverUrl), resourceMetadata, reach)) {
    const { status, body } = await ask({ url, reach });
    if (status !== 200 || body === null) continue;
    const { resource } = body;
    if (typeof resource !== "string" || !covers(resource, serverUrl))
      throw new OAuthProblem("its resource metadata is about another server than this one");
    const issuers = texts(body.authorization_servers) ?? [];
    return { resource, issuers, scopes: texts(body.scopes_supported) };
  }
  return null;
}

/** Where the challenge points, then below the well-known path with and without the path of the server. */
function resourceUrls(server: URL, resourceMetadata: string | null, reach: Reach): URL[] {
  const name = "/.well-known/oauth-protected-resource";
  const path = server.pathname.replace(/\/$/, "");
  const told = resourceMetadata === null ? [] : [resourceMetadata];
  const texts = [...told, `${server.origin}${name}${path}${server.search}`, `${server.origin}${name}`];
  return [...new Set(texts)].map((text) => allowedUrl(text, "its resource metadata", reach));
}

/** The same origin, and the server's path at or below the resource's. */
function covers(resource: string, serverUrl: string): boolean {
  if (!URL.canParse(resource)) return false;
  const [wide, narrow] = [new URL(resource), new URL(serverUrl)];
  if (wide.origin !== narrow.origin || wide.hash !== "") return false;
  if (wide.search !== "" && wide.search !== narrow.search) return false;
  const base = wide.pathname.endsWith("/") ? wide.pathname : `${wide.pathname}/`;
  return `${narrow.pathname}/`.startsWith(base);
}

function canonical(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.hash = "";
  return url.pathname === "/" && url.search === "" ? url.origin : url.href;
}
