import type { ApiKey, CreatedApiKey, NewApiKey } from "./access/credentials.ts";
import type { Caller, Principal } from "./principal.ts";

/** Who calls, and how they prove it. */
export interface IdentityVerbs {
  /** Who calls when a call does not say. */
  usualCaller(): Principal;
  /** Who shows this token; without one the person at this machine, as long as nobody has to prove anything. */
  identify(token: string | null): Promise<Principal>;
  /** Does everybody have to say who they are? */
  needsCredentials(): Promise<boolean>;
  /** The API keys without their secrets, revoked and expired ones among them; for admins. */
  keys(caller?: Caller): Promise<ApiKey[]>;
  /** The secret is told this once. For admins. */
  createKey(key: NewApiKey, caller?: Caller): Promise<CreatedApiKey>;
  /** True when it could be used until now; `forget` takes its record away, too. For admins. */
  revokeKey(id: string, options?: Caller & { forget?: boolean }): Promise<boolean>;
}
