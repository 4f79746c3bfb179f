import type { AuthorizationServer } from "oauth4webapi";
import type { StrictGate } from "../../../lib/net/egress.ts";
import type { UnknownObject } from "../../../model/json.ts";
import { misconfigured, OAuthProblem } from "../problems.ts";
import { allowedUrl, checkedFetch, judgeName, readJsonObject } from "./checked-fetch.ts";

/** With every address checked. */
export type Issuer = AuthorizationServer & { token_endpoint: string };

type Hints = { resourceMetadata: string | null; issuer: string | undefined };

/** Null when the server does not speak OAuth. */
export async function discover(serverUrl: string, hints: Hints, gate: StrictGate) {
  const protectedResource = await findResource(serverUrl, hints.resourceMetadata, gate);
  // Before RFC 9728 the server's own origin was the authorization server.
  const issuers = protectedResource?.issuers ?? [hints.issuer ?? new URL(serverUrl).origin];
  const issuer = chooseIssuer(issuers, hints.issuer);
  const server = await findAuthorizationServer(issuer, gate);
  if (server !== null)
    return {
      resource: protectedResource?.resource ?? canonicalUrl(serverUrl),
      scopes: protectedResource?.scopes ?? null,
      server,
    };
  if (protectedResource === null && hints.issuer === undefined) return null;
  throw new OAuthProblem(
    `no metadata of the authorization server was found at ${new URL(issuer).origin}`,
  );
}

function chooseIssuer(issuers: readonly string[], configuredIssuer: string | undefined): string {
  const [first] = issuers;
  if (configuredIssuer === undefined && first !== undefined) return first;
  if (configuredIssuer === undefined)
    throw new OAuthProblem("its resource metadata names no authorization server");
  if (issuers.includes(configuredIssuer)) return configuredIssuer;
  throw misconfigured(
    `the server does not accept tokens of ${configuredIssuer}. Correct 'auth.issuer', or remove it`,
  );
}

/** RFC 9728. */
export async function findResource(
  serverUrl: string,
  resourceMetadata: string | null,
  gate: StrictGate,
) {
  const { origin, pathname, search } = new URL(serverUrl);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const addresses = [
    ...(resourceMetadata === null ? [] : [resourceMetadata]),
    `${wellKnown}${pathname.replace(/\/$/, "")}${search}`,
    wellKnown,
  ].map((text) => allowedUrl(text, "its resource metadata", gate).href);
  const body = await firstObject(addresses, gate);
  if (body === null) return null;
  const { resource } = body;
  if (typeof resource !== "string" || !covers(resource, serverUrl))
    throw new OAuthProblem("its resource metadata is about another server than this one");
  return {
    resource,
    issuers: texts(body.authorization_servers) ?? [],
    scopes: texts(body.scopes_supported),
  };
}

/** The same origin, at or below the resource's path. */
function covers(resource: string, serverUrl: string): boolean {
  if (!URL.canParse(resource)) return false;
  const resourceUrl = new URL(resource);
  const requestedUrl = new URL(serverUrl);
  if (resourceUrl.origin !== requestedUrl.origin || resourceUrl.hash !== "") return false;
  if (resourceUrl.search !== "" && resourceUrl.search !== requestedUrl.search) return false;
  const base = resourceUrl.pathname.endsWith("/")
    ? resourceUrl.pathname
    : `${resourceUrl.pathname}/`;
  return `${requestedUrl.pathname}/`.startsWith(base);
}

function canonicalUrl(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.hash = "";
  return url.pathname === "/" && url.search === "" ? url.origin : url.href;
}

/** MCP asks for RFC 8414, then for OpenID Connect at two addresses, of which the library knows one. */
async function findAuthorizationServer(issuer: string, gate: StrictGate): Promise<Issuer | null> {
  const { origin, pathname } = allowedUrl(issuer, "its authorization server", gate);
  const path = pathname.replace(/\/$/, "");
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  const body = await firstObject(addresses, gate);
  return body === null ? null : await readMetadata(body, issuer, gate);
}

async function readMetadata(
  body: UnknownObject,
  issuer: string,
  gate: StrictGate,
): Promise<Issuer> {
  // Compared as text, unlike the library: addresses that normalise alike can be two servers.
  if (body.issuer !== issuer)
    throw new OAuthProblem(
      "the authorization server's metadata names another issuer than was asked for",
    );
  const pick = (keys: readonly string[], read: (value: unknown, key: string) => unknown) =>
    Object.fromEntries(
      keys.filter((key) => (body[key] ?? null) !== null).map((key) => [key, read(body[key], key)]),
    );
  const addresses = pick(endpointKeys, (value, key) => allowedUrl(value, `its ${key}`, gate).href);
  for (const address of Object.values(addresses)) await judgeName(new URL(String(address)), gate);
  const { token_endpoint } = addresses;
  if (typeof token_endpoint !== "string")
    throw new OAuthProblem("the authorization server has no token endpoint");
  const lists = pick(listKeys, (value) => texts(value) ?? undefined);
  return {
    issuer,
    ...addresses,
    token_endpoint,
    ...lists,
    ...pick(flagKeys, (value) => value === true),
  };
}

const endpointKeys = ["authorization_endpoint", "token_endpoint", "registration_endpoint"];
const listKeys = [
  "scopes_supported",
  "token_endpoint_auth_methods_supported",
  "grant_types_supported",
  "code_challenge_methods_supported",
];
const flagKeys = [
  "authorization_response_iss_parameter_supported",
  "client_id_metadata_document_supported",
];

/** Some servers answer every address with a page. */
async function firstObject(
  addresses: readonly string[],
  gate: StrictGate,
): Promise<UnknownObject | null> {
  for (const address of new Set(addresses)) {
    const response = await checkedFetch(gate)(address);
    if (response.status !== 200) continue;
    const body = await readJsonObject(response);
    if (body !== null) return body;
  }
  return null;
}

function texts(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  return value.filter((text): text is string => typeof text === "string");
}
