import type { UnknownObject } from "../../../model/json.ts";
import { ask } from "./ask.ts";
import { OAuthProblem } from "./problem.ts";
import { allowedUrl, type Reach } from "./reach.ts";

/** What an authorization server says about itself, as far as we use it. */
export type AuthorizationServer = {
  issuer: string;
  authorizationEndpoint: string | null;
  tokenEndpoint: string;
  registrationEndpoint: string | null;
  /** Null where it does not say. */
  scopes: string[] | null;
  tokenMethods: string[] | null;
  grantTypes: string[] | null;
  challengeMethods: string[];
  sendsIssuer: boolean;
  takesMetadataDocuments: boolean;
};

/** Null when none of the documents is there. */
export async function findAuthorizationServer(
  issuer: string,
  reach: Reach,
): Promise<AuthorizationServer | null> {
  for (const url of metadataUrls(allowedUrl(issuer, "its authorization server", reach))) {
    const { status, body } = await ask({ url, reach });
    if (status === 200 && body !== null) return readMetadata(body, issuer, reach);
  }
  return null;
}

/** RFC 8414 first, then OpenID Connect; with a path each has its own idea of where the document stands. */
function metadataUrls(issuer: URL): URL[] {
  const path = issuer.pathname.replace(/\/$/, "");
  const paths = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(paths)].map((one) => new URL(one, issuer.origin));
}

function readMetadata(body: UnknownObject, issuer: string, reach: Reach): AuthorizationServer {
  // Compared as text: whoever normalises can be led to another server.
  if (body.issuer !== issuer)
    throw new OAuthProblem("the authorization server's metadata names another issuer than was asked for");
  const endpoint = (key: string) =>
    (body[key] ?? null) === null ? null : allowedUrl(body[key], `its ${key}`, reach).href;
  const tokenEndpoint = endpoint("token_endpoint");
  if (tokenEndpoint === null) throw new OAuthProblem("the authorization server has no token endpoint");
  return {
    issuer,
    authorizationEndpoint: endpoint("authorization_endpoint"),
    tokenEndpoint,
    registrationEndpoint: endpoint("registration_endpoint"),
    scopes: texts(body.scopes_supported),
    tokenMethods: texts(body.token_endpoint_auth_methods_supported),
    grantTypes: texts(body.grant_types_supported),
    challengeMethods: texts(body.code_challenge_methods_supported) ?? [],
    sendsIssuer: body.authorization_response_iss_parameter_supported === true,
    takesMetadataDocuments: body.client_id_metadata_document_supported === true,
  };
}

export function texts(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : null;
}
