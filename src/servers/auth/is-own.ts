import type { ServerDefinition } from "../../model/server.ts";

/** Does the plane sign in as its own client there, the same for every user? */
export function isOwn({ auth }: ServerDefinition): boolean {
  return auth?.type === "oauth" && auth.grant === "client_credentials";
}
