import { type Foreign, foreign, urlOf } from "@toolplane/core/model/foreign";
import { listOrEmpty, objectOrEmpty, type UnknownObject } from "@toolplane/core/model/json";
import type { ServerAuth } from "@toolplane/core/model/servers/server";
import { basicHeader } from "@toolplane/core/servers";
import { type ApiDocument, type Resolve, textIn } from "./document.ts";

type ApiKeyScheme = { kind: "apiKey"; location: "header" | "query" | "cookie"; name: string };

export type SecurityScheme =
  | ApiKeyScheme
  | { kind: "http"; scheme: string }
  | { kind: "oauth2"; flows: OAuthFlows }
  | { kind: "other" };

/** Schemes that are needed together, with their scopes. */
export type Requirement = Readonly<Record<string, readonly string[]>>;

type OptionalAddress = Foreign<string> | undefined;
type OAuthFlows = {
  authorizationUrl?: OptionalAddress;
  tokenUrl?: OptionalAddress;
  ownTokenUrl?: OptionalAddress;
  scopes: string[];
};

export function readSchemes(
  { root, dialect }: ApiDocument,
  resolve: Resolve,
): Map<string, SecurityScheme> {
  const declaredSchemes =
    dialect === "2.0" ? root.securityDefinitions : objectOrEmpty(root.components).securitySchemes;
  const schemes = Object.entries(objectOrEmpty(declaredSchemes)).map(
    ([name, scheme]) => [name, readScheme(resolve.object(scheme), root)] as const,
  );
  return new Map(schemes);
}

function readScheme(scheme: UnknownObject, root: UnknownObject): SecurityScheme {
  const { type, in: location, name } = scheme;
  if (
    type === "apiKey" &&
    typeof name === "string" &&
    (location === "header" || location === "query" || location === "cookie")
  )
    return { kind: "apiKey", location, name };
  if (type === "basic") return { kind: "http", scheme: "basic" };
  if (type === "http")
    return { kind: "http", scheme: (textIn(scheme.scheme) ?? "bearer").toLowerCase() };
  if (type === "oauth2") return { kind: "oauth2", flows: readFlows(scheme, root) };
  if (type === "openIdConnect") return { kind: "oauth2", flows: { scopes: [] } };
  return { kind: "other" };
}

function readFlows(scheme: UnknownObject, root: UnknownObject): OAuthFlows {
  const legacyFlow = textIn(scheme.flow);
  const flows = legacyFlow === undefined ? objectOrEmpty(scheme.flows) : { [legacyFlow]: scheme };
  const programFlow = objectOrEmpty(flows.clientCredentials ?? flows.application);
  const personFlow = objectOrEmpty(flows.authorizationCode ?? flows.accessCode);
  return {
    authorizationUrl: addressIn(personFlow.authorizationUrl),
    tokenUrl: addressIn(personFlow.tokenUrl),
    ownTokenUrl: addressIn(programFlow.tokenUrl),
    scopes: requiredScopes(root),
  };
}

function addressIn(field: unknown): OptionalAddress {
  const address = textIn(field);
  return address === undefined ? undefined : foreign(address);
}

/** Of the document as a whole; all scopes that there are would be more than is needed. */
function requiredScopes({ security }: UnknownObject): string[] {
  const scopes = listOrEmpty(security).flatMap((requirement) =>
    Object.values(objectOrEmpty(requirement)).flat(),
  );
  return [...new Set(scopes.filter((scope) => typeof scope === "string"))];
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
  const absolute = (address: OptionalAddress) =>
    address === undefined ? null : urlOf(address, base);
  for (const scheme of schemes.values()) {
    if (scheme.kind !== "oauth2") continue;
    const { authorizationUrl, tokenUrl, ownTokenUrl, scopes } = scheme.flows;
    const endpoint = absolute(isOwn ? (ownTokenUrl ?? tokenUrl) : tokenUrl);
    const page = absolute(authorizationUrl);
    if (endpoint === null || (!isOwn && page === null)) continue;
    const completed = { ...auth, tokenUrl: judge(endpoint).href };
    if (page !== null) completed.authorizationUrl = judge(page).href;
    if (auth.scopes === undefined && scopes.length > 0) completed.scopes = scopes;
    return completed;
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
  const configuredValues = auth?.schemes ?? {};
  if (token === null && Object.keys(configuredValues).length === 0) return proof;
  // Many documents name their schemes and forget to require them.
  const alternatives =
    requirements ?? [...schemes.keys()].map((name): Requirement => ({ [name]: [] }));
  const requiresNone = requirements?.every((requirement) => Object.keys(requirement).length === 0);
  if (requiresNone && schemes.size > 0) return proof;
  const preferred = alternatives.toSorted(
    (a, b) => rank(b, auth, schemes) - rank(a, auth, schemes),
  );
  for (const alternative of preferred) {
    const names = Object.keys(alternative).filter((name) => schemes.has(name));
    const unset = names.filter((name) => configuredValues[name] === undefined);
    if (names.length === 0 || unset.length > (token === null ? 0 : 1)) continue;
    for (const name of names) {
      const credential = configuredValues[name] ?? (token as string);
      addCredential(proof, schemes.get(name) as SecurityScheme, credential);
    }
    return proof;
  }
  if (token !== null) addCredential(proof, schemeOf(auth), token);
  return proof;
}

/** The kind that the configuration names comes first. */
function rank(
  requirement: Requirement,
  auth: ServerAuth | undefined,
  schemes: Credentials["schemes"],
): number {
  const preferredKinds = kindsOf(auth);
  const isPreferred = Object.keys(requirement).some((name) =>
    preferredKinds.includes(kindOf(schemes.get(name))),
  );
  return isPreferred ? 1 : 0;
}

/** As `type` of `auth` names it. */
function kindOf(scheme: SecurityScheme | undefined): string {
  if (scheme?.kind === "http") return scheme.scheme === "basic" ? "basic" : "bearer";
  if (scheme?.kind === "apiKey") return "api_key";
  return scheme?.kind ?? "none";
}

function kindsOf(auth: ServerAuth | undefined): readonly string[] {
  if (auth?.type === "oauth") return ["oauth2", "bearer"];
  if (auth?.type === "jwt") return ["bearer"];
  return [auth?.type ?? ""];
}

function schemeOf(auth: ServerAuth | undefined): SecurityScheme {
  if (auth?.type === "api_key") return { kind: "apiKey", location: "header", name: auth.header };
  return { kind: "http", scheme: auth?.type === "basic" ? "basic" : "bearer" };
}

function addCredential(proof: Proof, scheme: SecurityScheme, credential: string): void {
  if (scheme.kind === "apiKey") addKey(proof, scheme, credential);
  else if (scheme.kind !== "other")
    proof.headers.authorization = authorizationHeader(
      scheme.kind === "http" ? scheme.scheme : "bearer",
      credential,
    );
}

function addKey(
  { headers, query, cookies }: Proof,
  { location, name }: ApiKeyScheme,
  key: string,
): void {
  if (location === "header") headers[name.toLowerCase()] = key;
  else if (location === "query") query.push([name, key]);
  else cookies.push([name, key]);
}

function authorizationHeader(scheme: string, credential: string): string {
  if (scheme === "basic") return basicHeader(credential);
  if (scheme === "bearer") return `Bearer ${credential}`;
  return `${scheme} ${credential}`;
}
