import type { OAuthClient } from "./oauth/client.ts";

/** A token that a person gave. */
export type GivenToken = { kind: "token"; token: string; expiresAt: string | null; scopes: string[] };

/** How often a server asked for more than a sign-in brought, lately. */
export type StepUps = { count: number; since: number };

/** What a sign-in brought, with all that is needed to renew it. */
export type OAuthRecord = {
  kind: "oauth";
  /** The only server it is sent to. */
  url: string;
  issuer: string;
  tokenEndpoint: string;
  resource: string;
  /** Without the secret when that stands in the configuration. */
  client: OAuthClient;
  accessToken: string;
  refreshToken: string | null;
  expiresAt: string | null;
  /** What was granted, and what was asked for. */
  scopes: string[];
  requested: string[];
  stepUps: StepUps;
};

export type CredentialRecord = GivenToken | OAuthRecord;

/** What a refusal told, for the sign-in that follows it. */
export type ChallengeRecord = {
  url: string;
  resourceMetadata: string | null;
  scopes: string[] | null;
  before: string[];
  stepUps: StepUps;
};

/** A name that nobody can choose so that it reads as another. */
function toKey(text: string): string {
  return encodeURIComponent(JSON.stringify(text).slice(1, -1));
}

function fromKey(text: string): string {
  return JSON.parse(`"${decodeURIComponent(text)}"`) as string;
}

function ownerOf(user: string | null): string {
  return user === null ? "everybody" : `user/${toKey(user)}`;
}

export function credentialsPrefix(user: string | null): string {
  return `credentials/${ownerOf(user)}/`;
}

export function credentialsKey(server: string, user: string | null): string {
  return `${credentialsPrefix(user)}${toKey(server)}`;
}

export function serverOfKey(key: string): string {
  return fromKey(key.slice(key.lastIndexOf("/") + 1));
}

export function challengeKey(server: string, user: string | null): string {
  return `challenge/${ownerOf(user)}/${toKey(server)}`;
}
