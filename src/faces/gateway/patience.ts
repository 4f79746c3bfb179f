import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";

/** What is not known by then is told with a notification. */
export const usualPatienceMs = 1_000;
/** Many clients ask once and never again, so where there is nothing at all yet the first tools are worth waiting for. */
const firstPatienceMs = 10_000;

type Listing = readonly { id: { server: string | null } }[];

/** Lists with as much patience as this listing deserves. */
export type Patience = <T extends Listing>(
  principal: Principal,
  list: (patienceMs: number) => Promise<T>,
) => Promise<T>;

/**
 * One slow server does not keep the tools of the others from anybody. Each that has never listed anything is waited for
 * once where nobody has listed anything; one that hangs costs the first who asks, and nobody after.
 */
export function createPatience(plane: Pick<Plane, "servers">): Patience {
  const waitedFor = new Set<string>();
  return async (principal, list) => {
    const unseen = (await plane.servers({ principal })).filter(
      ({ name, state, listedAt }) =>
        listedAt === null && state !== "disabled" && state !== "config_error" && !waitedFor.has(name),
    );
    for (const { name } of unseen) waitedFor.add(name);
    const found = await list(usualPatienceMs);
    const isAll = unseen.length === 0 || found.some(({ id }) => id.server !== null);
    return isAll ? found : list(firstPatienceMs);
  };
}
