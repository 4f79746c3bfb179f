import type { createAbort } from "./abort.ts";
import type { createClone } from "./clone.ts";
import type { createHost, EngineErrors } from "./host.ts";
import type { createLocales } from "./locales.ts";
import type { createRandom } from "./random.ts";
import type { createTextCoders } from "./text-coders.ts";
import type { createTimers, Log } from "./timers.ts";
import type { createUrls } from "./urls.ts";

export type PlatformParts = {
  createAbort: typeof createAbort;
  createClone: typeof createClone;
  createHost: typeof createHost;
  createLocales: typeof createLocales;
  createRandom: typeof createRandom;
  createTextCoders: typeof createTextCoders;
  createTimers: typeof createTimers;
  createUrls: typeof createUrls;
  /** What each kind of `Intl` may be asked. */
  intl: Readonly<Record<string, readonly string[]>>;
};

export type PlatformPorts = {
  compute(kind: string, json: string): string;
  ask(kind: "sleep", ms: number): Promise<unknown>;
  log: Log;
};

type Elements = Iterable<unknown> & AsyncIterable<unknown>;

/** What people expect of a platform, made from `compute`, from timers and from plain JavaScript. */
export function installPlatform(parts: PlatformParts, { compute, ask, log }: PlatformPorts) {
  const { Math, TypeError, RangeError, Error, Date, Array, Object, Symbol } = globalThis;
  const errors: EngineErrors = { TypeError, RangeError, Error };
  const host = parts.createHost(compute, errors);
  const timers = parts.createTimers(ask, log);
  const { random, randomUUID, seed } = parts.createRandom();
  const { globals: abortGlobals, orAborted } = parts.createAbort(timers.setTimeout);
  let startedAt = 0;

  function define(target: object, name: string, value: unknown): void {
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
  }

  async function fromAsync(
    source: Elements | ArrayLike<unknown>,
    map: ((element: unknown, index: number) => unknown) | undefined,
    self: unknown,
  ): Promise<unknown[]> {
    const collected: unknown[] = [];
    const isWalked = Symbol.asyncIterator in source || Symbol.iterator in source;
    for await (const element of isWalked ? source : Array.from(source)) {
      const mapped = map === undefined ? element : await map.call(self, element, collected.length);
      collected.push(mapped);
    }
    return collected;
  }

  define(Array, "fromAsync", fromAsync);
  define(Math, "random", random);
  const globals = {
    ...parts.createUrls(host),
    ...parts.createTextCoders(host),
    ...timers,
    ...abortGlobals,
    Intl: parts.createLocales(host, parts.intl),
    structuredClone: parts.createClone(errors),
    performance: Object.freeze({ now: () => Date.now() - startedAt }),
    crypto: Object.freeze({ randomUUID }),
  };
  for (const [name, value] of Object.entries(globals)) define(globalThis, name, value);

  return {
    orAborted,
    begin(seeds: readonly [number, number, number, number]): void {
      seed(seeds);
      startedAt = Date.now();
    },
  };
}
