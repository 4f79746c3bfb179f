/** The parts that every simulation is made of: a clock, random numbers, cores that are shared, and places where work waits. */

export type Clock = {
  /** Milliseconds since the beginning. */
  now(): number;
  after(ms: number, run: () => void): void;
  /** Runs what is due until this time. */
  runUntil(ms: number): void;
};

type Due = { at: number; order: number; run(): void };

/** Ordered by time, and by what was asked for first: so the same seed gives the same result. */
const isBefore = (a: Due, b: Due) => a.at < b.at || (a.at === b.at && a.order < b.order);

function createQueue() {
  const heap: Due[] = [];
  return {
    first: (): Due | undefined => heap[0],
    push(due: Due): void {
      let at = heap.length;
      heap.push(due);
      while (at > 0) {
        const parent = (at - 1) >> 1;
        const above = heap[parent] as Due;
        if (isBefore(above, due)) break;
        heap[at] = above;
        at = parent;
      }
      heap[at] = due;
    },
    pop(): Due | undefined {
      const top = heap[0];
      const last = heap.pop();
      if (heap.length === 0 || last === undefined) return top;
      let at = 0;
      for (;;) {
        let child = 2 * at + 1;
        if (child >= heap.length) break;
        if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due))
          child += 1;
        const below = heap[child] as Due;
        if (isBefore(last, below)) break;
        heap[at] = below;
        at = child;
      }
      heap[at] = last;
      return top;
    },
  };
}

export function createClock(): Clock {
  const queue = createQueue();
  let now = 0;
  let order = 0;
  return {
    now: () => now,
    after(ms, run) {
      order += 1;
      queue.push({ at: now + Math.max(0, ms), order, run });
    },
    runUntil(ms) {
      for (let next = queue.first(); next !== undefined && next.at <= ms; next = queue.first()) {
        queue.pop();
        now = next.at;
        next.run();
      }
      now = ms;
    },
  };
}

export type Random = {
  /** From 0 to 1, without 1. */
  uniform(): number;
  exponential(mean: number): number;
  /** With this median, and so far spread that one of a hundred is above `p99`. */
  logNormal(median: number, p99: number): number;
};

/** How many standard deviations the 99th of a hundred stands above the middle. */
const sigmasOfP99 = 2.326;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32: small, quick, and good enough for queues.
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    uniform,
    exponential: (mean) => -mean * Math.log(1 - uniform()),
    logNormal: (median, p99) =>
      median * Math.exp((Math.log(p99 / median) / sigmasOfP99) * normal()),
  };
}

/** Where work of so many milliseconds is done: at once on a core of its own, later where cores are shared. */
export type Cores = {
  now(): number;
  /** Work of one owner is done by one thread, one piece after the other. */
  work(ms: number, done: () => void, owner?: object): void;
};

/** Milliseconds of work that were done, and for how long this work was ready: more where it had to share. */
export type UsedCores = { workMs: number; readyMs: number };

export type CountedCores = Cores & { used(): UsedCores };

/** Each has a core of its own. */
export function createOwnCores(clock: Clock): Cores {
  return { now: clock.now, work: (ms, done) => clock.after(ms, done) };
}

export type CoresOptions = {
  count: number;
  /** How long a thread runs while others are ready. */
  sliceMs: number;
  /** Threads of other programs that are always ready, too; part of one is ready part of the time. */
  background?: number;
};

type Thread = { jobs: { left: number; done(): void }[]; state: "asleep" | "ready" | "running" };

/**
 * Ready threads take turns, as a kernel lets them: one that gets a core keeps it until its slice or its work is over. So a thread waits once, and then does all that came meanwhile.
 * Work without an owner is a thread by itself.
 */
export function createSharedCores(
  clock: Clock,
  { count, sliceMs, background = 0 }: CoresOptions,
): Cores {
  const turns: (() => void)[] = [];
  const threads = new WeakMap<object, Thread>();
  let free = count;

  function queue(turn: () => void): void {
    turns.push(turn);
    takeTurns();
  }
  function takeTurns(): void {
    while (free > 0) {
      const turn = turns.shift();
      if (turn === undefined) return;
      free -= 1;
      turn();
    }
  }
  function leave(): void {
    free += 1;
    takeTurns();
  }
  function run(thread: Thread, sliceLeft: number): void {
    thread.state = "running";
    const [job] = thread.jobs;
    if (job === undefined) {
      thread.state = "asleep";
      return leave();
    }
    const ms = Math.min(job.left, sliceLeft);
    clock.after(ms, () => {
      job.left -= ms;
      if (ms < sliceLeft) {
        thread.jobs.shift();
        job.done();
        return run(thread, sliceLeft - ms);
      }
      thread.state = "ready";
      queue(() => run(thread, sliceMs));
      leave();
    });
  }
  function runOther(ms: number): void {
    clock.after(ms, () => {
      queue(() => runOther(ms));
      leave();
    });
  }
  for (let left = background; left > 0; left -= 1) {
    const ms = sliceMs * Math.min(1, left);
    queue(() => runOther(ms));
  }

  return {
    now: clock.now,
    work(ms, done, owner) {
      const thread: Thread = (owner && threads.get(owner)) ?? { jobs: [], state: "asleep" };
      if (owner) threads.set(owner, thread);
      thread.jobs.push({ left: ms, done });
      if (thread.state !== "asleep") return;
      thread.state = "ready";
      queue(() => run(thread, sliceMs));
    },
  };
}

/** What one part does on cores that it may share with others. Work is counted when it is done. */
export function countOn(cores: Cores): CountedCores {
  let workMs = 0;
  let readyMs = 0;
  return {
    now: cores.now,
    work(ms, done, owner) {
      const begun = cores.now();
      const count = () => {
        workMs += ms;
        readyMs += cores.now() - begun;
        done();
      };
      cores.work(ms, count, owner);
    },
    used: () => ({ workMs, readyMs }),
  };
}

/** A place with a fixed number of seats; the others wait in the order in which they came. */
export type Place = {
  /** Nothing is in it and nothing waits for it. */
  isEmpty(): boolean;
  seats: number;
  enter(run: (leave: () => void) => void): void;
  facts(): PlaceFacts;
  /** Forgets what was counted so far. */
  restart(): void;
};

export type PlaceFacts = {
  /** Share of the time in which its places were taken. */
  busy: number;
  meanWaitMs: number;
  entered: number;
  waiting: number;
};

export function createPlace(clock: Clock, size: number): Place {
  let waiting: { since: number; run(leave: () => void): void }[] = [];
  let head = 0;
  let inside = 0;
  let startedAt = 0;
  let changedAt = 0;
  let busyMs = 0;
  let waitedMs = 0;
  let entered = 0;

  function change(by: number): void {
    busyMs += inside * (clock.now() - changedAt);
    changedAt = clock.now();
    inside += by;
  }
  function leave(): void {
    change(-1);
    const next = waiting[head];
    if (next === undefined) return;
    head += 1;
    // Taking from the front of an array moves all that is behind it.
    if (head > 1_024 && head * 2 > waiting.length) {
      waiting = waiting.slice(head);
      head = 0;
    }
    begin(next.since, next.run);
  }
  function begin(since: number, run: (leave: () => void) => void): void {
    waitedMs += clock.now() - since;
    entered += 1;
    change(1);
    run(leave);
  }
  return {
    isEmpty: () => inside === 0,
    seats: size,
    enter(run) {
      if (inside < size) begin(clock.now(), run);
      else waiting.push({ since: clock.now(), run });
    },
    facts() {
      change(0);
      const elapsed = clock.now() - startedAt;
      return {
        busy: elapsed === 0 ? 0 : busyMs / (elapsed * size),
        meanWaitMs: entered === 0 ? 0 : waitedMs / entered,
        entered,
        waiting: waiting.length - head,
      };
    },
    restart() {
      change(0);
      startedAt = clock.now();
      busyMs = 0;
      waitedMs = 0;
      entered = 0;
    },
  };
}

/** Enters, works on the cores, and leaves. What needs no work does not wait. A thread that sleeps has to wake up first, which is work, too. */
export function workIn(place: Place, cores: Cores, ms: number, done: () => void, wakeMs = 0): void {
  if (ms === 0 && wakeMs === 0) return done();
  const all = place.isEmpty() ? ms + wakeMs : ms;
  const owner = place.seats === 1 ? place : undefined;
  place.enter((leave) => {
    const end = () => {
      leave();
      done();
    };
    cores.work(all, end, owner);
  });
}
