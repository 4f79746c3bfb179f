import type { Gate } from "@toolplane/core/lib/net/egress";
import { exchange } from "@toolplane/core/lib/net/exchange";
import type { AuthorizationServer } from "@toolplane/core/model/access/auth-settings";
import { listOrEmpty } from "@toolplane/core/model/json";
import { errors } from "oidc-provider";

const fetchMs = 2_500;
/** Beyond the limits of the library, which reads what we give it. */
const maxFetchedBytes = 64 * 1024;
const maxRedirectUris = 20;
const maxUriLength = 2_000;
const maxNameLength = 100;
/** Of programs for developers, which have no dot in theirs. Others are named like a domain (RFC 8252). */
const programSchemes: ReadonlySet<string> = new Set(
  [
    ...["cursor", "vscode", "vscode-insiders", "vscodium", "windsurf", "trae", "kiro", "zed"],
    ...["claude", "claude-code", "chatgpt", "goose", "jetbrains", "lmstudio", "raycast", "warp"],
  ].map((name) => `${name}:`),
);
const domainScheme = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;
/** Never, also not where an administrator lists them: browsers and systems act on them. */
const refusedSchemes: ReadonlySet<string> = new Set(
  [
    ...["javascript", "vbscript", "data", "blob", "file", "filesystem", "about"],
    ...["ws", "wss", "ftp", "view-source"],
  ].map((name) => `${name}:`),
);
const loopbacks: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const interactiveGrantTypes: readonly string[] = ["authorization_code", "refresh_token"];

/** The library calls `checkClient` for this property before it judges the rest. No property is ours: clients write them all. */
export const checkedProperty = "client_name";

type Metadata = Record<string, unknown>;

/** What clients say of themselves, before the library checks it: registered ones, documents and known ones alike. */
export function checkClient(metadata: Metadata, settings: AuthorizationServer): void {
  const isKnown = Object.hasOwn(settings.clients, String(metadata.client_id));
  const uris = metadata.redirect_uris;
  const redirects = listOrEmpty(uris).map(String);
  if (redirects.length > maxRedirectUris)
    throw invalid(`redirect_uris must not have more than ${maxRedirectUris}`);
  const kinds = redirects.map((uri) => kindOfRedirect(uri, isKnown));
  // Where a redirect leads into a program, the port is free and consent is asked each time (RFC 8252).
  metadata.application_type = kinds.every((kind) => kind === "web") ? "web" : "native";
  metadata.client_name = cleanName(metadata.client_name);
  // Scopes are what a person allows, not what a client announces.
  delete metadata.scope;
  metadata.id_token_signed_response_alg = undefined;
  if (isKnown) return;
  const grants = metadata.grant_types ?? ["authorization_code"];
  if (
    !Array.isArray(grants) ||
    !grants.every((grant) => interactiveGrantTypes.includes(String(grant)))
  )
    throw invalid(`grant_types may be ${interactiveGrantTypes.join(" and ")}`);
  for (const uri of ["client_uri", "logo_uri", "policy_uri", "tos_uri", "jwks_uri"])
    if (metadata[uri] !== undefined && URL.parse(String(metadata[uri]))?.protocol !== "https:")
      throw invalid(`${uri} must be an https address`);
}

function kindOfRedirect(uri: string, isKnown: boolean): "web" | "native" {
  const url = uri.length <= maxUriLength ? URL.parse(uri) : null;
  if (url === null)
    throw redirectProblem(`must be whole and at most ${maxUriLength} characters long`);
  if (url.username !== "" || url.password !== "")
    throw redirectProblem("must not hold a user name or password");
  if (uri.includes("#")) throw redirectProblem("must not have a fragment");
  if (!mayUse(url.protocol, isKnown))
    throw redirectProblem(
      `must not use ${url.protocol} Use https:, http: on this machine or a scheme with a dot, such as com.example.app:`,
    );
  if (url.protocol === "https:") {
    if (loopbacks.has(url.hostname)) throw redirectProblem("on this machine must use http");
    return "web";
  }
  if (url.protocol === "http:" && !loopbacks.has(url.hostname))
    throw redirectProblem("must be https beyond this machine");
  return "native";
}

function mayUse(scheme: string, isKnown: boolean): boolean {
  if (["https:", "http:"].includes(scheme) || programSchemes.has(scheme)) return true;
  return domainScheme.test(scheme) || (isKnown && !refusedSchemes.has(scheme));
}

/** The library makes `invalid_redirect_uri` of what is said about `redirect_uris`; its own error of that name says nothing. */
const redirectProblem = (what: string) => invalid(`redirect_uris: an address ${what}`);
const invalid = (what: string) => new errors.InvalidClientMetadata(what);

/** Names are shown to people: nothing in them turns text around or hides it. */
function cleanName(name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  const clean = name
    .normalize("NFKC")
    .replaceAll(/(?:[\p{C}\p{Z}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5)+/gu, " ")
    .trim();
  return clean.slice(0, maxNameLength) || undefined;
}

/** The library's requests: documents of clients and their keys, which strangers name. */
export function createClientFetch(gate: Gate) {
  return async (url: string | URL, { method = "GET", headers }: RequestInit): Promise<Response> => {
    const answer = await exchange(new URL(url), {
      gate,
      method,
      headers: Object.fromEntries(new Headers(headers)),
      signal: AbortSignal.timeout(fetchMs),
      maxBytes: maxFetchedBytes,
    });
    const responseHeaders = new Headers();
    for (const name of ["content-type", "cache-control", "expires"]) {
      const header = answer.headers[name];
      if (typeof header === "string") responseHeaders.append(name, header);
    }
    // An answer without a body may not have one.
    const body = answer.body.length === 0 ? null : new Uint8Array(answer.body);
    return new Response(body, { status: answer.status, headers: responseHeaders });
  };
}

/** Clients of the configuration, as the library knows them. */
export function configuredClients({ clients, assertionIssuers }: AuthorizationServer) {
  return Object.entries(clients).map(([id, { name, redirectUris, scopes, ...credentials }]) => ({
    client_id: id,
    client_name: name ?? id,
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 ? ["code"] : [],
    grant_types: [
      ...(redirectUris.length > 0 ? interactiveGrantTypes : []),
      ...(scopes.length > 0 ? ["client_credentials"] : []),
      ...(assertionIssuers.length > 0 ? ["urn:ietf:params:oauth:grant-type:jwt-bearer"] : []),
    ],
    ...tokenEndpointAuth(credentials),
  }));
}

type ClientCredentials = Pick<
  AuthorizationServer["clients"][string],
  "secret" | "keys" | "jwksUri"
>;

function tokenEndpointAuth({ secret, keys, jwksUri }: ClientCredentials) {
  if (secret !== undefined)
    return { token_endpoint_auth_method: "client_secret_basic", client_secret: secret };
  const token_endpoint_auth_method = "private_key_jwt";
  if (keys) return { token_endpoint_auth_method, jwks: { keys } };
  return { token_endpoint_auth_method, jwks_uri: jwksUri };
}
