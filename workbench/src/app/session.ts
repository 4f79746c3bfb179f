import { useQuery } from "@tanstack/react-query";
import type { Scope } from "../../../src/model/principal.ts";
import type { Session } from "../api/answers.ts";
import { sessionQuery } from "../api/queries.ts";

/** May the person at this page do that? What they may not is shown, but cannot be pressed. */
export function useMay(scope: Scope): boolean {
  return useQuery(sessionQuery()).data?.scopes.includes(scope) ?? false;
}

/** Of groups that are not theirs only admins hear. */
export function useAllGroups(): { group?: string } {
  return useMay("admin") ? { group: "*" } : {};
}

/** Does everybody have to prove who they are here? */
export function useNeedsCredentials(): boolean {
  return useQuery(sessionQuery()).data?.needsCredentials ?? false;
}

/** May servers be added and removed from this page, and if not, why? */
export function useServerChanges(): Session["serverChanges"] {
  return useQuery(sessionQuery()).data?.serverChanges ?? "needs_proof";
}
