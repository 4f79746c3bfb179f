/** The secret is returned once, on creation, and not stored. */
export type ApiKey = {
  id: string;
  name: string;
  user: string;
  groups: string[];
  persona: string | null;
  scopes: string[];
  workspace: string | null;
  compliance?: string;
  toolGroups?: string[];
  createdAt: string;
  /** Its creator, then the creators of the creator's own key. A key of an earlier version has none. */
  createdBy?: string[];
  expiresAt: string | null;
  /** To the minute. */
  lastUsedAt: string | null;
  revokedAt: string | null;
};

/** `user` defaults to the creator; without scopes it may list and call. */
export type NewApiKey = { name: string } & Partial<
  Pick<ApiKey, "user" | "groups" | "persona" | "scopes" | "workspace" | "compliance" | "toolGroups" | "expiresAt">
>;

export type CreatedApiKey = { key: ApiKey; secret: string };

export type TokenGiven = { token: string; expiresAt?: string; scopes?: string[] };

export type TokenStatus = {
  server: string;
  user: string | null;
  kind: "token" | "oauth";
  expiresAt: string | null;
  scopes: string[];
  /** Must a person give a new one or sign in again? */
  expired: boolean;
};
