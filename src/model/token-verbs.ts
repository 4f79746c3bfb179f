import type { URLSearchParams } from "./platform.ts";
import type { Caller } from "./principal.ts";
import type { TokenGiven, TokenStatus } from "./token.ts";

/** A sign-in under way: the person goes to `url`. */
export type SignIn = { url: string; finished: Promise<void>; cancel(): void };

/** How a person is known to servers. */
export interface TokenVerbs {
  /** The tokens that are kept for the caller, without the tokens. */
  tokens(caller?: Caller): Promise<TokenStatus[]>;
  /** Keeps a token for the caller and a server. */
  setToken(server: string, token: TokenGiven, caller?: Caller): Promise<void>;
  /** True when there was one. */
  forgetToken(server: string, caller?: Caller): Promise<boolean>;
  /** Begins an OAuth sign-in: the browser goes to `url` and comes back to `redirectUri`. */
  beginSignIn(server: string, redirectUri: string, caller?: Caller): Promise<{ url: string; state: string }>;
  /** The same with a listener on this machine that the browser comes back to. */
  signIn(server: string, caller?: Caller): Promise<SignIn>;
  /** Ends a sign-in with the parameters that the browser came back with. */
  finishSignIn(parameters: URLSearchParams, caller?: Caller): Promise<{ server: string }>;
}
