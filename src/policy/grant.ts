import type { Grant } from "../model/call.ts";
import type { Principal } from "../model/principal.ts";
import type { Tool } from "../model/tool.ts";

/** May this principal use this tool at all? Asked for every listing and again for every call. */
export function grantFor(principal: Principal, tool: Tool): Grant | { refused: string } {
  if (tool.groups.length > 0 && !tool.groups.some((group) => principal.groups.includes(group))) {
    return { refused: `it is for members of ${tool.groups.join(", ")}` };
  }
  if (tool.persona !== null && tool.persona !== principal.persona) {
    return { refused: `it belongs to persona '${tool.persona}'` };
  }
  const personas = tool.metadata.persona_allowlist;
  if (personas && !personas.includes(principal.persona ?? "")) {
    return { refused: `it is for the personas ${personas.join(", ")}` };
  }
  return { by: tool.groups.length > 0 ? "group" : "everybody" };
}
