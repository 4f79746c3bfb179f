import { PlaneError } from "../../../model/errors.ts";

const limitMs = 5_000;
const bodyLimitBytes = 512 * 1024;
/** An issuer that is down is not asked again for every request that comes in. */
const restMs = 5_000;

export type Issuer = {
  /** Undefined where the issuer has nothing at this address. */
  ask(url: string): Promise<unknown>;
  /** What it answered is of no use. */
  fail(reason: string): never;
};

/** Reads JSON from the issuer, with limits on everything. Redirects are not followed. */
export function createIssuer(): Issuer {
  let resting: { until: number; failure: PlaneError } | undefined;
  const fail = (reason: string): never => {
    const failure = unavailable(reason);
    resting = { until: Date.now() + restMs, failure };
    throw failure;
  };
  return {
    fail,
    async ask(url) {
      if (resting !== undefined && Date.now() < resting.until) throw resting.failure;
      return read(url).catch((thrown) => fail(reasonOf(thrown)));
    },
  };
}

/** No address: strangers read this, and whoever runs the plane knows it. */
export function unavailable(reason: string): PlaneError {
  return new PlaneError(
    "SERVER_UNAVAILABLE",
    `The issuer of tokens (auth.jwt) could not be asked for its keys: ${reason}. Try again soon.`,
  );
}

async function read(url: string): Promise<unknown> {
  const response = await fetch(url, {
    redirect: "manual",
    headers: { accept: "application/json, application/jwk-set+json" },
    signal: AbortSignal.timeout(limitMs),
  });
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel();
    return undefined;
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Refused(`it answered with status ${response.status}`);
  }
  return parse(await readText(response));
}

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > bodyLimitBytes) throw new Refused("its answer is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused("its answer is not JSON");
  }
}

class Refused extends Error {}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof Refused) return thrown.message;
  if (thrown instanceof Error && thrown.name === "TimeoutError")
    return `no answer within ${limitMs / 1_000} s`;
  const { code } = (thrown instanceof Error ? (thrown.cause ?? {}) : {}) as { code?: unknown };
  return typeof code === "string" ? code : "the connection failed";
}
