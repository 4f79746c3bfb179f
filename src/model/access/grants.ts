import type { AccessRequest, Grant, Refused } from "../calls/call.ts";
import type { ProviderSpec, Tool } from "../catalogue/tool.ts";
import type { JsonObject } from "../json.ts";
import type { Principal } from "../principal.ts";
import type { Locked } from "../servers/server-schema.ts";

export type Grants = {
  grantFor(principal: Principal, tool: Tool, request?: AccessRequest): Grant | Refused;
  /** For a look: groups and states do not count. */
  grantToSee(principal: Principal, tool: Tool, args?: JsonObject): Grant | Refused;
  refuseProvider(
    principal: Principal,
    provider: ProviderSpec,
    request?: AccessRequest,
  ): Refused | null;
  refuseGroups(principal: Principal, request: AccessRequest): string | null;
  /** Admins see every server. */
  maySeeServer(principal: Principal, server: string): boolean;
  /** Are there servers that may be shown and not used? */
  hasLocks(): boolean;
  lockedServer(principal: Principal, server: string): Locked | null;
};
