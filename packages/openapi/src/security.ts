import { type Foreign, foreign, urlOf } from "@toolplane/core/model/foreign";
import type { UnknownObject } from "@toolplane/core/model/json";
import type { ServerAuth } from "@toolplane/core/model/servers/server";
import { basicHeader } from "@toolplane/core/servers";
import { type ApiDocument, objectOrEmpty, type Resolve, textIn } from "./document.ts";

export type SecurityScheme =
  | { kind: "apiKey"; place: "header" | "query" | "cookie"; name: string }
  | { kind: "http"; scheme: string }
  | { kind: "oauth2"; flows: OAuthFlows }
  | { kind: "other" };

/** Schemes that are needed together, with their scopes. */
export type Requirement = Readonly<Record<string, readonly string[]>>;

type Named = Foreign<string> | undefined;
type OAuthFlows = {
  authorizationUrl?: Named;
  tokenUrl?: Named;
  ownTokenUrl?: Named;
  scopes: string[];
};

export function readSchemes(
  { root, dialect }: ApiDocument,
  resolve: Resolve,
): Map<string, SecurityScheme> {
  const given =
    dialect === "2.0" ? root.securityDefinitions : objectOrEmpty(root.components).securitySchemes;
  const schemes = Object.entries(objectOrEmpty(given)).map(
    ([name, scheme]) => [name, readScheme(resolve.object(scheme), root)] as const,
  );
  return new Map(schemes);
}

function readScheme(scheme: UnknownObject, root: UnknownObject): SecurityScheme {
  const { type, in: place, name } = scheme;
  if (
    type === "apiKey" &&
    typeof name === "string" &&
    (place === "header" || place === "query" || place === "cookie")
  )
    return { kind: "apiKey", place, name };
  if (type === "basic") return { kind: "http", scheme: "basic" };
  if (type === "http")
    return { kind: "http", scheme: (textIn(scheme.scheme) ?? "bearer").toLowerCase() };
  if (type === "oauth2") return { kind: "oauth2", flows: readFlows(scheme, root) };
  return { kind: type === "openIdConnect" ? "oauth2" : "other", flows: { scopes: [] } };
}

function readFlows(scheme: UnknownObject, root: UnknownObject): OAuthFlows {
  const old = textIn(scheme.flow);
  const flows = old === undefined ? objectOrEmpty(scheme.flows) : { [old]: scheme };
  const own = objectOrEmpty(flows.clientCredentials ?? flows.application);
  const person = objectOrEmpty(flows.authorizationCode ?? flows.accessCode);
  const named = (value: unknown) => {
    const address = textIn(value);
    return address === undefined ? undefined : foreign(address);
  };
  return {
    authorizationUrl: named(person.authorizationUrl),
    tokenUrl: named(person.tokenUrl),
    ownTokenUrl: named(own.tokenUrl),
    scopes: requiredScopes(root),
  };
}

/** Of the document as a whole; all scopes that there are would be more than is needed. */
function requiredScopes({ security }: UnknownObject): string[] {
  const requirements = Array.isArray(security) ? security : [];
  const scopes = requirements.flatMap((one) => Object.values(objectOrEmpty(one)).flat());
  return [...new Set(scopes.filter((one) => typeof one === "string"))];
}

/** What the configuration says of sign-ins, completed by where the document says that they take place. */
export function completeAuth(
  auth: ServerAuth | undefined,
  schemes: ReadonlyMap<string, SecurityScheme>,
  base: URL,
  judge: (address: Foreign<URL>) => URL,
): ServerAuth | undefined {
  if (auth?.type !== "oauth" || auth.tokenUrl !== undefined || auth.issuer !== undefined)
    return auth;
  const isOwn = auth.grant === "client_credentials";
  for (const scheme of schemes.values()) {
    if (scheme.kind !== "oauth2") continue;
    const { authorizationUrl, tokenUrl, ownTokenUrl, scopes } = scheme.flows;
    const absolute = (address: Named) => (address === undefined ? null : urlOf(address, base));
    const endpoint = absolute(isOwn ? (ownTokenUrl ?? tokenUrl) : tokenUrl);
    const page = absolute(authorizationUrl);
    if (endpoint === null || (!isOwn && page === null)) continue;
    return {
      ...auth,
      tokenUrl: judge(endpoint).href,
      ...(page !== null && { authorizationUrl: judge(page).href }),
      ...(auth.scopes === undefined && scopes.length > 0 && { scopes }),
    };
  }
  return auth;
}

/** What goes into one request. */
export type Proof = {
  headers: Record<string, string>;
  query: [string, string][];
  cookies: [string, string][];
};

type Credentials = {
  auth: ServerAuth | undefined;
  /** For the one scheme that the configuration gives no value of its own. */
  token: string | null;
  schemes: ReadonlyMap<string, SecurityScheme>;
};

export function proofFor(
  requirements: readonly Requirement[] | null,
  credentials: Credentials,
): Proof {
  const { auth, token, schemes } = credentials;
  const proof: Proof = { headers: {}, query: [], cookies: [] };
  const values = auth?.schemes ?? {};
  if (token === null && Object.keys(values).length === 0) return proof;
  // Many documents name their schemes and forget to require them.
  const alternatives =
    requirements ?? [...schemes.keys()].map((name): Requirement => ({ [name]: [] }));
  if (requirements?.every((one) => Object.keys(one).length === 0) && schemes.size > 0) return proof;
  const preferred = alternatives.toSorted(
    (a, b) => rank(b, auth, schemes) - rank(a, auth, schemes),
  );
  for (const alternative of preferred) {
    const names = Object.keys(alternative).filter((name) => schemes.has(name));
    const open = names.filter((name) => values[name] === undefined);
    if (names.length === 0 || open.length > (token === null ? 0 : 1)) continue;
    for (const name of names)
      place(proof, schemes.get(name) as SecurityScheme, values[name] ?? (token as string));
    return proof;
  }
  if (token !== null) place(proof, schemeOf(auth), token);
  return proof;
}

/** The kind that the configuration names comes first. */
function rank(
  requirement: Requirement,
  auth: ServerAuth | undefined,
  schemes: Credentials["schemes"],
): number {
  const kinds = Object.keys(requirement).map((name) => {
    const scheme = schemes.get(name);
    if (scheme?.kind === "http") return scheme.scheme === "basic" ? "basic" : "bearer";
    return scheme?.kind === "apiKey" ? "api_key" : (scheme?.kind ?? "none");
  });
  const wanted =
    auth?.type === "oauth"
      ? ["oauth2", "bearer"]
      : auth?.type === "jwt"
        ? ["bearer"]
        : [auth?.type ?? ""];
  return kinds.some((kind) => wanted.includes(kind)) ? 1 : 0;
}

function schemeOf(auth: ServerAuth | undefined): SecurityScheme {
  if (auth?.type === "api_key") return { kind: "apiKey", place: "header", name: auth.header };
  return { kind: "http", scheme: auth?.type === "basic" ? "basic" : "bearer" };
}

function place({ headers, query, cookies }: Proof, scheme: SecurityScheme, value: string): void {
  if (scheme.kind === "apiKey") {
    if (scheme.place === "header") headers[scheme.name.toLowerCase()] = value;
    else (scheme.place === "query" ? query : cookies).push([scheme.name, value]);
  } else if (scheme.kind === "http" && scheme.scheme === "basic")
    headers.authorization = basicHeader(value);
  else if (scheme.kind === "http" && scheme.scheme !== "bearer")
    headers.authorization = `${scheme.scheme} ${value}`;
  else if (scheme.kind !== "other") headers.authorization = `Bearer ${value}`;
}
