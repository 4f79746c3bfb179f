import type { Egress } from "../../lib/net/egress.ts";
import type { TokenGiven } from "../../model/access/credentials.ts";
import type { TokenStatus } from "../../model/access/credentials-schema.ts";
import type { ServerAuth, ServerDefinition } from "../../model/servers/server.ts";
import type { Store, StoreHearing } from "../../model/store.ts";
import type { EndedSignIn } from "./records.ts";

export type Challenge = { status: number; wwwAuthenticate: string | null };
export type Remote = ServerDefinition & { url: string };
type User = string | null;

export type Credentials = {
  /** Rejects with AUTH_REQUIRED when a person must give a token or sign in first. */
  headers(
    server: string,
    definition: ServerDefinition,
    user: User,
    signal?: AbortSignal,
  ): Promise<HeaderMap>;
  /** True when a retry makes sense; rejects with AUTH_REQUIRED when a person is needed. */
  refused(
    server: string,
    definition: ServerDefinition,
    user: User,
    challenge: Challenge,
  ): Promise<boolean>;
  /** Does each user have their own? A server without `auth` may turn out to want it. */
  isPersonal(definition: ServerDefinition): boolean;
  /** May an answer be for one user only: are there credentials per user, or was the token of a user sent? */
  opensForUser(server: string, definition: ServerDefinition): boolean;
  /** For the origin of this address alone. */
  setToken(server: string, user: User, token: TokenGiven, url: string): Promise<void>;
  forget(server: string, user: User): Promise<boolean>;
  status(user: User): Promise<TokenStatus[]>;
  /** By server, the sign-ins of this user that an authorization server has ended. */
  ended(user: User): Promise<ReadonlyMap<string, EndedSignIn>>;
  /** The browser goes to `url` and returns to `redirectUri`. */
  beginSignIn(
    server: string,
    definition: ServerDefinition,
    user: User,
    redirectUri: string,
  ): Promise<{ url: string; state: string }>;
  /** With `as`, only for that user. */
  finishSignIn(
    parameters: URLSearchParams,
    as?: { user: User },
  ): Promise<{ server: string; user: User }>;
};

export type CredentialsOptions = {
  store(): Promise<Store>;
  /** Holds the key and the locks; without it both end with the process. */
  directory: string | undefined;
  vaultKey?(): Promise<string | undefined>;
  clientName: string;
  /** Decides which addresses servers may name. */
  egress: Egress;
  /** A token was set, renewed by sign-in or forgotten. */
  onChanged(server: string, user: User): void;
  now?(): number;
  news?: StoreHearing;
};

/** The addresses that a person configured; what they name is judged by them. Where an API is may be its document's word. */
export function ownersOf({ url, auth, openapi, baseUrl }: Remote): string[] {
  const isNamed = openapi !== undefined && baseUrl === undefined && /^https?:/i.test(openapi);
  const configuredUrl = isNamed ? openapi : url;
  return [configuredUrl, auth?.issuer].filter((address) => address !== undefined);
}

type HeaderMap = Record<string, string>;

export function tokenHeaders(auth: ServerAuth | undefined, token: string): HeaderMap {
  if (auth?.type === "api_key") return { [auth.header]: token };
  if (auth?.type === "basic") return { authorization: basicHeader(token) };
  return { authorization: `Bearer ${token}` };
}

/** `user:password`; without a colon the whole is the user, as for many API keys. */
export function basicHeader(token: string): string {
  const pair = token.includes(":") ? token : `${token}:`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

/** The token in what `tokenHeaders` made of it. */
export function tokenIn(auth: ServerAuth | undefined, headers: Readonly<HeaderMap>): string | null {
  if (auth?.type === "api_key") return headers[auth.header] ?? null;
  const [, scheme, credentials = ""] =
    /^(Bearer|Basic) (.*)$/s.exec(headers.authorization ?? "") ?? [];
  if (scheme === undefined) return null;
  return scheme === "Bearer" ? credentials : Buffer.from(credentials, "base64").toString();
}

/** Can it stand in a header, and not end it? */
export function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Does the plane sign in as its own client, for every user? */
export function isOwnClient({ auth }: ServerDefinition): boolean {
  return auth?.type === "oauth" && auth.grant === "client_credentials";
}
