import type { Plane } from "../../../model/plane.ts";
import type { Principal } from "../../../model/principal.ts";

const maxNamed = 5;

/** Those that have not listed anything yet and still may. */
export async function serversOnTheWay(plane: Plane, principal: Principal): Promise<string[]> {
  const all = await plane.servers.list({ principal });
  return all.flatMap(({ name, state, tools }) => (state === "connecting" && tools === 0 ? [name] : []));
}

export function joinServers(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
