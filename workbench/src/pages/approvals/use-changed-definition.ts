import { useOperation } from "../../api/operations.ts";

/** How a tool's definition differs from the accepted one: `change` is null where it does not. */
export function useChangedDefinition(name: string) {
  const tool = useOperation("tools.get", { name });
  const change = tool.data?.review?.change ?? null;
  const pin = useOperation("pins.get", { name }, { enabled: change !== null });
  return { change, difference: pin.data?.difference, isLoading: tool.isLoading || pin.isLoading };
}
