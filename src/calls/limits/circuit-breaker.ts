import { backoffMs } from "../../lib/async/pause.ts";
import { steadyNow, wallTime } from "../../lib/async/steady-time.ts";
import { sentence } from "../../lib/text/wording.ts";
import { errorTable, PlaneError } from "../../model/errors.ts";
import type { ServerCircuit } from "../../model/servers/server.ts";
import type { CircuitState, CircuitStatus } from "../../model/servers/server-schema.ts";

/** A shorter timeout says nothing about the server. */
const fairLimitMs = 10_000;

/** JSON-RPC errors about the request: the server that sends one is healthy. */
const requestErrorCodes: ReadonlySet<unknown> = new Set([
  -32600, -32601, -32602, -32002, -32042, -32020, -32021, -32022,
]);

/** HTTP statuses from here on are about the server. */
const firstServerStatus = 500;

/** What a failure says about the server. */
function judgeFailure({ code, data }: PlaneError): "well" | "failing" | "nothing" {
  // An unsent request is the connection's business.
  if (data.sent === false) return "nothing";
  // It refuses this request, and is there.
  if (Number(data.status ?? firstServerStatus) < firstServerStatus) return "nothing";
  if (code === "SERVER_UNAVAILABLE") return "failing";
  if (code === "TIMEOUT") {
    const isFair = data.limitSetBy !== "call" || Number(data.limitMs) >= fairLimitMs;
    return isFair ? "failing" : "nothing";
  }
  if (code !== "PROVIDER_FAILED") return "nothing";
  return isOwnTrouble(data.rpcCode) ? "failing" : "well";
}

/** Codes that the protocol does not reserve are the server's own. */
function isOwnTrouble(rpcCode: unknown): boolean {
  if (typeof rpcCode !== "number") return true;
  return rpcCode >= -32768 && rpcCode <= -32000 && !requestErrorCodes.has(rpcCode);
}

const maxOpenMs = 300_000;
/** Retry delay while a probe is under way. */
const probeMs = 1_000;

type CircuitOptions = {
  /** Undefined for a server that is not configured. */
  setting(server: string): ServerCircuit | undefined;
  onChange(server: string, state: CircuitState): void;
  /** It was opened or closed because of what happened here; null where it was closed. */
  onTurned?(server: string, open: OpenCircuit | null): void;
};

/** An open circuit as another plane reads it. Times are those of the wall clock. */
export type OpenCircuit = Pick<Circuit, "failures" | "opened" | "since" | "until" | "lastError">;

export type Circuits = ReturnType<typeof createCircuits>;
/** An attempt that was let through. */
export type Entered = {
  readonly isProbe: boolean;
  /** The call was not made after all. */
  abandon(): void;
  /** `null` is a success. */
  leave(error: PlaneError | null): void;
};

/** `until` is 0 while it is closed. */
type Circuit = {
  failures: number;
  failedAt: number;
  opened: number;
  since: number;
  until: number;
  isProbed: boolean;
  lastError: string;
};

/** A circuit breaker for each server. A half-open circuit lets one call through. */
export function createCircuits(
  { setting, onChange, onTurned }: CircuitOptions,
  now: () => number = () => performance.now(),
) {
  const circuits = new Map<string, Circuit>();

  function hasBreaker(server: string): boolean {
    return (setting(server)?.failures ?? 0) !== 0;
  }

  /** False where it was not open. */
  function shut(server: string): boolean {
    const circuit = circuits.get(server);
    circuits.delete(server);
    const wasOpen = circuit !== undefined && circuit.until !== 0;
    if (wasOpen) onChange(server, "closed");
    return wasOpen;
  }

  /** The server answered, was repaired or replaced. */
  function close(server: string): void {
    if (circuits.has(server) && shut(server)) onTurned?.(server, null);
  }

  function fail(server: string, startedAt: number, isProbe: boolean, error: PlaneError): void {
    const { failures: maxFailures, openMs } = setting(server) ?? { failures: 0, openMs: 0 };
    if (maxFailures === 0) return void circuits.delete(server);
    const circuit = circuits.get(server) ?? newCircuit();
    circuits.set(server, circuit);
    // Calls that ran together fail together: they are one failure.
    if (startedAt < circuit.failedAt && !isProbe) return;
    circuit.failures += 1;
    circuit.failedAt = now();
    circuit.lastError = publicReason(error);
    // Calls from before it opened say nothing new.
    const isOpen = circuit.until !== 0;
    if (!isProbe && (isOpen || circuit.failures < maxFailures)) return;
    trip(circuit, openMs);
    onChange(server, "open");
    const { failures, opened, lastError } = circuit;
    const [since, until] = [inWallTime(circuit.since), inWallTime(circuit.until)];
    onTurned?.(server, { failures, opened, since, until, lastError });
  }

  /** One per attempt, so it holds no functions of its own. */
  class Entry implements Entered {
    readonly isProbe: boolean;
    readonly #server: string;
    readonly #startedAt = now();

    constructor(server: string, isProbe: boolean) {
      this.isProbe = isProbe;
      this.#server = server;
    }

    abandon(): void {
      const circuit = this.isProbe ? circuits.get(this.#server) : undefined;
      if (circuit) circuit.isProbed = false;
    }

    leave(error: PlaneError | null): void {
      const verdict = error === null ? "well" : judgeFailure(error);
      if (error === null || verdict === "well") return close(this.#server);
      this.abandon();
      if (verdict === "failing") fail(this.#server, this.#startedAt, this.isProbe, error);
    }
  }

  return {
    /** Throws while the circuit is open. */
    enter(server: string): Entered {
      const circuit = circuits.get(server);
      if (circuit === undefined || circuit.until === 0) return new Entry(server, false);
      if (circuit.isProbed || circuit.until > steadyNow()) throw circuitOpen(server, circuit);
      circuit.isProbed = true;
      onChange(server, "half_open");
      return new Entry(server, true);
    },
    /** Why the circuit is open, or null. */
    reason(server: string): string | null {
      const circuit = circuits.get(server);
      if (circuit === undefined || circuit.until === 0) return null;
      return describe(server, circuit);
    },
    /** Undefined for a server without a circuit breaker. */
    status(server: string): CircuitStatus | undefined {
      if (!hasBreaker(server)) return undefined;
      return statusOf(circuits.get(server));
    },
    reset: close,
    /** Another plane opened or closed it. What is open here for longer stays open. */
    learn(server: string, remote: OpenCircuit | null): void {
      if (remote === null) return void shut(server);
      const until = Math.min(inSteadyTime(remote.until), steadyNow() + maxOpenMs);
      const openUntil = circuits.get(server)?.until ?? 0;
      if (!hasBreaker(server) || until <= Math.max(steadyNow(), openUntil)) return;
      const since = Math.min(inSteadyTime(remote.since), steadyNow());
      const { failures, opened, lastError } = remote;
      circuits.set(server, {
        failures,
        opened,
        lastError,
        since,
        until,
        failedAt: now(),
        isProbed: false,
      });
      onChange(server, "open");
    },
  };
}

function inWallTime(steadyMs: number) {
  return Date.parse(wallTime(steadyMs));
}

function inSteadyTime(wallMs: number) {
  return steadyNow() + wallMs - Date.now();
}

function statusOf(circuit: Circuit | undefined): CircuitStatus {
  if (circuit === undefined)
    return { state: "closed", failures: 0, openUntil: null, lastError: null };
  const { failures, until, lastError } = circuit;
  const openUntil = until === 0 ? null : wallTime(until);
  return { state: stateOf(circuit), failures, openUntil, lastError };
}

function stateOf({ until, isProbed }: Circuit): CircuitState {
  if (until === 0) return "closed";
  return isProbed || until <= steadyNow() ? "half_open" : "open";
}

function newCircuit(): Circuit {
  return {
    failures: 0,
    failedAt: Number.NEGATIVE_INFINITY,
    opened: 0,
    since: 0,
    until: 0,
    isProbed: false,
    lastError: "",
  };
}

function trip(circuit: Circuit, openMs: number): void {
  const since = steadyNow();
  circuit.until = since + backoffMs({ firstMs: openMs, maxMs: maxOpenMs }, circuit.opened + 1);
  if (circuit.opened === 0) circuit.since = since;
  circuit.opened += 1;
}

/** Others read it, and the server's words were for its caller. */
function publicReason(error: PlaneError): string {
  const { category, means } = errorTable[error.code];
  return category === "tool" ? means : error.message;
}

function describe(server: string, { failures, since, lastError }: Circuit): string {
  const openedAt = wallTime(since);
  return `Server '${server}': circuit open since ${openedAt}, after ${failures} failures in a row. The last one: ${sentence(lastError)}`;
}

function circuitOpen(server: string, circuit: Circuit): PlaneError {
  const now = steadyNow();
  const retryAtMs = Math.max(circuit.until, now + probeMs);
  const retryAt = wallTime(retryAtMs);
  const nextTry = `Next try in ${Math.ceil((retryAtMs - now) / 1000)} s; 'servers connect ${server}' tries it now.`;
  return new PlaneError("SERVER_UNAVAILABLE", `${describe(server, circuit)} ${nextTry}`, {
    data: { server, sent: false, retryAt, since: wallTime(circuit.since) },
  });
}
