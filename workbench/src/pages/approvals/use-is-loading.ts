import { useQuery } from "@tanstack/react-query";
import { type HeldAnswer, precedingCallsQuery } from "../../api/approval-queries.ts";
import { toolQuery } from "../../api/queries.ts";
import { pinQuery } from "../../api/tool-queries.ts";

/** Is a part of the card still loading? Until then the buttons below it may move. */
export function useIsLoading(held: HeldAnswer): boolean {
  const tool = useQuery(toolQuery(held.tool));
  const preceding = useQuery(precedingCallsQuery(held));
  const isChanged = (tool.data?.review?.change ?? null) !== null;
  const pin = useQuery({ ...pinQuery(held.tool), enabled: isChanged });
  return tool.isLoading || preceding.isLoading || pin.isLoading;
}
