import type { ServerAuth } from "../../model/server.ts";

export function tokenHeaders(auth: ServerAuth | undefined, token: string): Record<string, string> {
  return auth?.type === "api_key" ? { [auth.header]: token } : { authorization: `Bearer ${token}` };
}
