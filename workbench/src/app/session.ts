import { useQuery } from "@tanstack/react-query";
import type { Scope } from "../../../src/model/principal.ts";
import { sessionQuery } from "../api/queries.ts";

/** May the person at this page do that? What they may not is shown, but cannot be pressed. */
export function useMay(scope: Scope): boolean {
  return useQuery(sessionQuery()).data?.scopes.includes(scope) ?? false;
}

/** Does everybody have to prove who they are here? Only then servers, keys and the like can be changed over HTTP. */
export function useNeedsCredentials(): boolean {
  return useQuery(sessionQuery()).data?.needsCredentials ?? false;
}
