import type { ServerAuth, ServerDefinition } from "../../model/servers/server.ts";

export function tokenHeaders(auth: ServerAuth | undefined, token: string): Record<string, string> {
  return auth?.type === "api_key" ? { [auth.header]: token } : { authorization: `Bearer ${token}` };
}

/** Can it stand in a header, and not end it? */
export function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Does the plane sign in as its own client, for every user? */
export function isOwnClient({ auth }: ServerDefinition): boolean {
  return auth?.type === "oauth" && auth.grant === "client_credentials";
}
