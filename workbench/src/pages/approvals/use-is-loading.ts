import { useQuery } from "@tanstack/react-query";
import { type HeldAnswer, precedingCallsQuery } from "../../api/approval-queries.ts";
import { useChangedDefinition } from "./use-changed-definition.ts";

/** Is a part of the card still loading? Until then the buttons below it may move. */
export function useIsLoading(heldCall: HeldAnswer): boolean {
  const preceding = useQuery(precedingCallsQuery(heldCall));
  const definition = useChangedDefinition(heldCall.tool);
  return preceding.isLoading || definition.isLoading;
}
