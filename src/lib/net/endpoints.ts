import { backoffMs } from "../async/pause.ts";
import { steadyNow } from "../async/steady-time.ts";
import { createLru } from "../lru.ts";

/** What a failed request says of its endpoint. `retryAfterMs` is the wait that the endpoint itself named. */
export type EndpointFailure = { retryAfterMs?: number | undefined };

export type EndpointsOptions = {
  /** The rest after the first failure; it doubles with each further one, up to `maxMs`. */
  firstMs: number;
  maxMs: number;
  /** Null where the endpoint is well, and only refused this request. */
  failureOf(thrown: unknown): EndpointFailure | null;
  /** What is thrown for requests that are not made because the endpoint rests. */
  refuse(failure: unknown, restMs: number): unknown;
  now?: () => number;
};

type Rest = { failures: number; until: number; failure: unknown; isProbed: boolean };

export type Endpoints = ReturnType<typeof createEndpoints>;

const maxEndpoints = 1_000;
/** An endpoint that names a longer wait is asked again after this time all the same. */
const maxAnnouncedMs = 300_000;
/** For those who come while another request finds out whether the endpoint is back. */
const probeMs = 1_000;

/** A circuit breaker for each endpoint that others depend on: one failure is the failure of all who ask it next. */
export function createEndpoints(options: EndpointsOptions) {
  const { firstMs, maxMs, failureOf, refuse, now = steadyNow } = options;
  const resting = createLru<Rest>(maxEndpoints);
  const shared = new Map<string, Promise<unknown>>();

  function restMs(rest: Rest): number {
    return Math.max(rest.until - now(), rest.isProbed ? probeMs : 0);
  }

  function fail(endpoint: string, thrown: unknown, { retryAfterMs = 0 }: EndpointFailure): void {
    const failures = (resting.get(endpoint)?.failures ?? 0) + 1;
    const waitMs = Math.max(
      backoffMs({ firstMs, maxMs }, failures),
      Math.min(retryAfterMs, maxAnnouncedMs),
    );
    resting.set(endpoint, { failures, until: now() + waitMs, failure: thrown, isProbed: false });
  }

  return {
    /** Rejects at once while the endpoint rests. After the rest it gets one request; the others wait for its outcome. */
    async ask<T>(endpoint: string, request: () => Promise<T>): Promise<T> {
      const rest = resting.get(endpoint);
      if (rest && restMs(rest) > 0) throw refuse(rest.failure, restMs(rest));
      if (rest) rest.isProbed = true;
      try {
        const answer = await request();
        resting.delete(endpoint);
        return answer;
      } catch (thrown) {
        const failure = failureOf(thrown);
        // Requests that ran together fail together: they are one failure.
        const isNoted = resting.get(endpoint) !== rest;
        if (failure === null) resting.delete(endpoint);
        else if (!isNoted || failure.retryAfterMs !== undefined) fail(endpoint, thrown, failure);
        throw thrown;
      }
    },
    /** Those who want the same at the same time share one request: its answer, and its failure. */
    share<T>(name: string, request: () => Promise<T>): Promise<T> {
      const running = shared.get(name);
      if (running !== undefined) return running as Promise<T>;
      const sharedRequest = request().finally(() => shared.delete(name));
      shared.set(name, sharedRequest);
      return sharedRequest;
    },
    /** Its answer came, and cannot be used. */
    rest: (endpoint: string, failure: unknown) => fail(endpoint, failure, {}),
    /** How long the endpoint still rests; 0 where it may be asked. */
    restMs(endpoint: string): number {
      const rest = resting.get(endpoint);
      if (rest === undefined) return 0;
      return Math.max(0, restMs(rest));
    },
  };
}
