import { useQuery } from "@tanstack/react-query";
import type { Scope } from "../../../src/model/principal.ts";
import { type Session, sessionQuery } from "../api/session.ts";

/** Whether the user has the scope. Controls they may not use are shown disabled. */
export function useMay(scope: Scope): boolean {
  return useQuery(sessionQuery()).data?.scopes.includes(scope) ?? false;
}

/** Why the user cannot change what the scope is about; null if they can. Buttons that would fail say it instead. */
export function useWhyNot(scope: Scope): string | null {
  const may = useMay(scope);
  const isProven = useIsProven();
  if (!may) return `This needs the scope ${scope}.`;
  return isProven ? null : "Unlock changes first, at the top of the page.";
}

/** Whether the user has the scope and has shown who they are. */
export function useMayChange(scope: Scope): boolean {
  return useWhyNot(scope) === null;
}

/** Only admins see other groups. */
export function useAllGroups(): { group?: string } {
  return useMay("admin") ? { group: "*" } : {};
}

/** Whether the plane requires credentials. */
export function useNeedsCredentials(): boolean {
  return useQuery(sessionQuery()).data?.needsCredentials ?? false;
}

/** Whether the plane knows who is at this page. */
export function useIsProven(): boolean {
  return useQuery(sessionQuery()).data?.isProven ?? true;
}

/** Whether this page may add and remove servers, and why not. */
export function useServerChanges(): Session["serverChanges"] {
  return useQuery(sessionQuery()).data?.serverChanges ?? "needs_proof";
}

/** Whether clients of the plane's machine can be connected from this page. */
export function useCanConnect(): boolean {
  return [useMay("admin"), useServerChanges() === "allowed"].every(Boolean);
}
