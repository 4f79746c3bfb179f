/** At the token endpoint, in the order of preference. */
export const tokenMethods = ["client_secret_basic", "client_secret_post", "none"] as const;
export type TokenMethod = (typeof tokenMethods)[number];

export type OAuthClient = {
  id: string;
  secret: string | null;
  method: TokenMethod;
  origin: "config" | "document" | "registered";
};

export type GivenToken = {
  kind: "token";
  token: string;
  expiresAt: string | null;
  scopes: string[];
  /** The only one it is sent to; of an older record, the first that asks for it. */
  origin?: string;
};

/** Recent requests for more scopes than a sign-in brought. */
export type StepUps = { count: number; since: number };
export const noStepUps: StepUps = { count: 0, since: 0 };

export type OAuthRecord = {
  kind: "oauth";
  /** The only server it is sent to. */
  url: string;
  issuer: string;
  tokenEndpoint: string;
  resource: string;
  /** Without a configured secret. */
  client: OAuthClient;
  accessToken: string;
  refreshToken: string | null;
  expiresAt: string | null;
  /** Missing in older records. */
  renewAt?: string | null;
  scopes: string[];
  requested: string[];
  stepUps: StepUps;
};

export type CredentialRecord = GivenToken | OAuthRecord;

/** A refusal, kept for the sign-in that follows. */
export type ChallengeRecord = {
  url: string;
  resourceMetadata: string | null;
  scopes: string[] | null;
  before: string[];
  stepUps: StepUps;
};

/** Why and when a sign-in ended, kept until the next one. */
export type EndedSignIn = { url: string; at: string; code: string };

/** So that a name cannot read as another key. */
function toKey(text: string): string {
  return encodeURIComponent(JSON.stringify(text).slice(1, -1));
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
  return JSON.parse(`"${decodeURIComponent(key.slice(key.lastIndexOf("/") + 1))}"`) as string;
}

export function challengeKey(server: string, user: string | null): string {
  return `challenge/${ownerOf(user)}/${toKey(server)}`;
}

export function endedPrefix(user: string | null): string {
  return `ended/${ownerOf(user)}/`;
}

export function endedKey(server: string, user: string | null): string {
  return `${endedPrefix(user)}${toKey(server)}`;
}

/** A token this close to its end may expire on the way. */
const expiryBufferMs = 60_000;

/** A token that lives shorter than the buffer would be renewed for each request. */
export function renewTime(expiresAt: number, lifetimeMs: number): number {
  return expiresAt - Math.min(expiryBufferMs, lifetimeMs / 2);
}

type Ending = { expiresAt: string | null; renewAt?: string | null };

export function isExpiring({ expiresAt, renewAt = null }: Ending, now: number): boolean {
  if (renewAt !== null) return isExpired({ expiresAt: renewAt }, now);
  return isExpired({ expiresAt }, now + expiryBufferMs);
}

export function isExpired({ expiresAt }: { expiresAt: string | null }, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}
