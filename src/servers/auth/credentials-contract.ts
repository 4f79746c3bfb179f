import type { TokenGiven, TokenStatus } from "../../model/access/credentials.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { Store } from "../../model/store.ts";

export type Challenge = { status: number; wwwAuthenticate: string | null };

export type Credentials = {
  /** Rejects with AUTH_REQUIRED when a person must give a token or sign in first. */
  headers(
    server: string,
    definition: ServerDefinition,
    user: string | null,
    signal?: AbortSignal,
  ): Promise<Record<string, string>>;
  /** True when a retry makes sense; rejects with AUTH_REQUIRED when a person is needed. */
  refused(server: string, definition: ServerDefinition, user: string | null, challenge: Challenge): Promise<boolean>;
  /** Does each user have their own? A server without `auth` may turn out to want it. */
  isPersonal(definition: ServerDefinition): boolean;
  setToken(server: string, user: string | null, token: TokenGiven): Promise<void>;
  forget(server: string, user: string | null): Promise<boolean>;
  status(user: string | null): Promise<TokenStatus[]>;
  /** The browser goes to `url` and returns to `redirectUri`. */
  beginSignIn(
    server: string,
    definition: ServerDefinition,
    user: string | null,
    redirectUri: string,
  ): Promise<{ url: string; state: string }>;
  /** With `as`, only for that user. */
  finishSignIn(
    parameters: URLSearchParams,
    as?: { user: string | null },
  ): Promise<{ server: string; user: string | null }>;
};

export type CredentialsOptions = {
  store(): Promise<Store>;
  /** Holds the key and the locks; without it both end with the process. */
  directory: string | undefined;
  /** Seals what is stored. */
  vaultKey?(): Promise<string | undefined>;
  clientName: string;
  /** A token was set, renewed by sign-in or forgotten. */
  onChanged(server: string, user: string | null): void;
  now?(): number;
};
