import type { AccessRequest, Grant, Refused } from "../calls/call.ts";
import type { ProviderSpec, Tool } from "../catalogue/tool.ts";
import type { JsonObject } from "../json.ts";
import type { Principal } from "../principal.ts";
import type { LockedServer } from "../servers/server.ts";

export type Grants = {
  /** May this principal use this tool at all? Asked for every listing and again for every call. */
  grantFor(principal: Principal, tool: Tool, request?: AccessRequest): Grant | Refused;
  /** The same for who only looks at it: groups are there to keep lists short, and states come and go. */
  grantToSee(principal: Principal, tool: Tool, args?: JsonObject): Grant | Refused;
  /** Why one of a tool's providers is no way for this caller, or null. */
  refuseProvider(principal: Principal, provider: ProviderSpec, request?: AccessRequest): Refused | null;
  /** Why these groups of tools cannot be asked for, or null. */
  refuseGroups(principal: Principal, request: AccessRequest): string | null;
  /** Admins see every server. */
  maySeeServer(principal: Principal, server: string): boolean;
  /** Is there anything that may be told of and not be used? */
  hasLocks(): boolean;
  /** All that may be told of a server that is not for this caller. */
  lockedServer(principal: Principal, server: string): LockedServer | null;
};
