/** Called when its time is over. */
export type Expiring = { expire(): void };

/** One entry of a wheel; links to its neighbours. */
export type Spoke<T> = {
  owner: T;
  dueAt: number;
  before: Spoke<T> | null;
  after: Spoke<T> | null;
  list: SpokeList<T>;
};

type SpokeList<T> = {
  limitMs: number;
  first: Spoke<T> | null;
  last: Spoke<T> | null;
  timer: NodeJS.Timeout | undefined;
};

export type TimeWheel<T extends Expiring> = ReturnType<typeof createTimeWheel<T>>;

/** Time limits of many at the price of few timers: what has the same limit ends in the order it began. 0 is no limit. */
export function createTimeWheel<T extends Expiring>() {
  const lists = new Map<number, SpokeList<T>>();

  function listOf(limitMs: number): SpokeList<T> {
    const existingList = lists.get(limitMs);
    if (existingList) return existingList;
    const list: SpokeList<T> = { limitMs, first: null, last: null, timer: undefined };
    lists.set(limitMs, list);
    return list;
  }

  function arm(list: SpokeList<T>): void {
    list.timer = undefined;
    if (list.first === null || list.limitMs === 0) return;
    const waitMs = Math.max(1, Math.ceil(list.first.dueAt - performance.now()));
    list.timer = setTimeout(turn, waitMs, list);
  }

  function turn(list: SpokeList<T>): void {
    const now = performance.now();
    for (let spoke = list.first; spoke !== null && spoke.dueAt <= now; spoke = list.first) {
      remove(spoke);
      spoke.owner.expire();
    }
    arm(list);
  }

  function remove(spoke: Spoke<T>): void {
    const { before, after, list } = spoke;
    if (before === null && list.first !== spoke) return;
    if (before) before.after = after;
    else list.first = after;
    if (after) after.before = before;
    else list.last = before;
    if (list.first === null) list.timer?.unref();
    spoke.before = null;
    spoke.after = null;
  }

  return {
    add(owner: T, limitMs: number): Spoke<T> {
      const list = listOf(limitMs);
      const spoke: Spoke<T> = {
        owner,
        dueAt: performance.now() + limitMs,
        before: list.last,
        after: null,
        list,
      };
      if (list.last) list.last.after = spoke;
      else list.first = spoke;
      list.last = spoke;
      if (list.timer === undefined) arm(list);
      else if (list.first === spoke) list.timer.ref();
      return spoke;
    },
    remove,
    all(): T[] {
      const owners: T[] = [];
      for (const list of lists.values())
        for (let spoke = list.first; spoke !== null; spoke = spoke.after) owners.push(spoke.owner);
      return owners;
    },
  };
}
