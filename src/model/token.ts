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
