import type { CallStatus, Outcome, Requested } from "../model/call.ts";
import type { Tool } from "../model/tool.ts";

/** A tool leads to its state only when it succeeded; nobody is told of states where nobody speaks of them. */
export function stateField(
  { options: { state }, tool }: Pick<Requested, "options"> & { tool?: Tool },
  status: CallStatus,
): Pick<Outcome["call"], "state"> {
  const next = tool?.metadata.state;
  if (state === undefined && next === undefined) return {};
  const current = state === undefined || state === "" ? "undefined" : state;
  return { state: status === "succeeded" ? (next ?? current) : current };
}
