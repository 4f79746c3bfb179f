import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { ServerStatus } from "../../model/servers/server.ts";

/** What is not known by then is told with a notification. */
export const usualPatienceMs = 1_000;
/** Many clients ask once and never again, so where there is nothing at all yet the first answer is worth waiting for. */
export const firstPatienceMs = 10_000;

/** Lists with as much patience as this listing deserves. */
export type Patience<Item> = <T extends readonly Item[]>(
  principal: Principal,
  list: (waitMs: number) => Promise<T>,
) => Promise<T>;

type Told<Item> = {
  /** Has the server never listed this? */
  isUnseen(status: ServerStatus): boolean;
  /** Does it come from a server? */
  isTheirs(item: Item): boolean;
};

/**
 * One slow server does not keep what the others list from anybody. Each that has never listed it is waited for
 * once where no other has; one that hangs costs the first who asks, and nobody after.
 */
export function createPatience<Item>(
  plane: Pick<Plane, "servers">,
  { isUnseen, isTheirs }: Told<Item>,
): Patience<Item> {
  const waitedFor = new Set<string>();
  return async (principal, list) => {
    const unseen = (await plane.servers.list({ principal })).filter(
      (status) =>
        isUnseen(status) &&
        status.state !== "disabled" &&
        status.state !== "config_error" &&
        !waitedFor.has(status.name),
    );
    for (const { name } of unseen) waitedFor.add(name);
    const found = await list(usualPatienceMs);
    const isAll = unseen.length === 0 || found.some(isTheirs);
    return isAll ? found : list(firstPatienceMs);
  };
}

export type ToolPatience = Patience<{ id: { server: string | null } }>;

export function createToolPatience(plane: Pick<Plane, "servers">): ToolPatience {
  return createPatience(plane, {
    isUnseen: ({ listedAt }) => listedAt === null,
    isTheirs: ({ id }) => id.server !== null,
  });
}
