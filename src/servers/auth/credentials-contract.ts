import type { TokenGiven, TokenStatus } from "../../model/access/credentials.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { Store } from "../../model/store.ts";

/** How a server refused us. */
export type Challenge = { status: number; wwwAuthenticate: string | null };

export type Credentials = {
  /** Headers with the credential. Rejects with AUTH_REQUIRED when a person must give a token or sign in first. */
  headers(
    server: string,
    definition: ServerDefinition,
    user: string | null,
    signal?: AbortSignal,
  ): Promise<Record<string, string>>;
  /** After a refusal: true when one more try makes sense; rejects with AUTH_REQUIRED when a person is needed. */
  refused(server: string, definition: ServerDefinition, user: string | null, challenge: Challenge): Promise<boolean>;
  /** Does each user have their own? A server without `auth` may turn out to want it. */
  isPersonal(definition: ServerDefinition): boolean;
  setToken(server: string, user: string | null, token: TokenGiven): Promise<void>;
  forget(server: string, user: string | null): Promise<boolean>;
  status(user: string | null): Promise<TokenStatus[]>;
  /** Begins an OAuth sign-in. The browser goes to `url` and comes back to `redirectUri`. */
  beginSignIn(
    server: string,
    definition: ServerDefinition,
    user: string | null,
    redirectUri: string,
  ): Promise<{ url: string; state: string }>;
  /** Takes what the browser brought back. With `as`, only for that user. */
  finishSignIn(
    parameters: URLSearchParams,
    as?: { user: string | null },
  ): Promise<{ server: string; user: string | null }>;
};

export type CredentialsOptions = {
  store(): Promise<Store>;
  /** Holds the key and the locks; without it both end with the process. */
  directory: string | undefined;
  /** The key that seals what is stored, where the configuration names one. */
  vaultKey?(): Promise<string | undefined>;
  clientName: string;
  /** A token was given, signed in for or forgotten. */
  onChanged(server: string, user: string | null): void;
  now?(): number;
};
