/** What is known of a key. The secret is returned once, on creation, and not stored. */
export type ApiKey = {
  id: string;
  name: string;
  /** The user that the key stands for. */
  user: string;
  groups: string[];
  persona: string | null;
  scopes: string[];
  workspace: string | null;
  /** The compliance level of the key's user. */
  compliance?: string;
  /** The groups of tools they may ask for. */
  toolGroups?: string[];
  createdAt: string;
  expiresAt: string | null;
  /** To the minute. */
  lastUsedAt: string | null;
  revokedAt: string | null;
};

/** `user` is who creates it when left out; without scopes it may list and call. */
export type NewApiKey = { name: string } & Partial<
  Pick<ApiKey, "user" | "groups" | "persona" | "scopes" | "workspace" | "compliance" | "toolGroups" | "expiresAt">
>;

export type CreatedApiKey = { key: ApiKey; secret: string };

/** A token a user gave for a server. */
export type TokenGiven = { token: string; expiresAt?: string; scopes?: string[] };

/** What is kept for a user, without the secret itself. */
export type TokenStatus = {
  server: string;
  user: string | null;
  kind: "token" | "oauth";
  expiresAt: string | null;
  scopes: string[];
  /** Does a person have to give a new one or sign in again? */
  expired: boolean;
};
