import { useQuery } from "@tanstack/react-query";
import { toolQuery } from "../../api/queries.ts";
import { pinQuery } from "../../api/tool-queries.ts";

/** How a tool's definition differs from the accepted one: `change` is null where it does not. */
export function useChangedDefinition(name: string) {
  const tool = useQuery(toolQuery(name));
  const change = tool.data?.review?.change ?? null;
  const pin = useQuery({ ...pinQuery(name), enabled: change !== null });
  return { change, difference: pin.data?.difference, isLoading: tool.isLoading || pin.isLoading };
}
