import { steadyNow, wallTime } from "../lib/async/steady-time.ts";
import { isRawJSON } from "../lib/json/exact-numbers.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { cutText } from "../lib/text/cut-text.ts";
import { createHider, looksSecret } from "../lib/text/redact.ts";
import { sentence } from "../lib/text/wording.ts";
import { type ErrorCode, PlaneError, personHints } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { ServerDefinition } from "../model/servers/server.ts";
import { RpcError, TransportError } from "../protocol/message.ts";
import { GivenUp } from "../protocol/strays.ts";

/** A call waits this long for an endpoint that is asked before its server. */
const maxEndpointWaitMs = 5_000;

/** A request that was not sent, or whose session has ended, goes out at once over a new session, where it may. */
function whenAgain(error: TransportError) {
  const { permanent, sent, sessionEnded, status, retryAfterMs, endpoint } = error;
  if (permanent) return { retryAt: null, permanent: true };
  if (endpoint !== undefined && retryAfterMs === undefined) {
    const retryInMs = Math.max(1, endpoint.restMs);
    return endpoint.hangs || retryInMs > maxEndpointWaitMs
      ? { retryAt: wallTime(steadyNow() + retryInMs) }
      : { retryInMs };
  }
  if (retryAfterMs !== undefined) return { retryInMs: retryAfterMs, announced: true };
  return sessionEnded || (!sent && status === undefined) ? { retryInMs: 0 } : {};
}

export function explainFailure(thrown: unknown, server: string, tool: string): unknown {
  if (thrown instanceof RpcError) {
    const said = thrown.saidBy === "us" ? "plane" : undefined;
    const data = {
      server,
      sent: true,
      ...(said === "plane" &&
        isObject(thrown.data) &&
        thrown.data.tooLarge === true && { tooLarge: true }),
      ...withoutUndefined({ rpcCode: thrown.code, saidBy: said, rpcData: thrown.data }),
    };
    const text = `Server '${server}' failed on '${tool}': ${thrown.message}`;
    return new PlaneError("PROVIDER_FAILED", text, { data, cause: thrown });
  }
  if (thrown instanceof PlaneError) {
    const { code, message, data, cause } = thrown;
    const isShared = isKnown(lossOf.get(thrown), tool);
    return isShared
      ? new PlaneError(code, message, { data: { ...data, shared: true }, cause })
      : thrown;
  }
  if (!(thrown instanceof TransportError)) return thrown;
  const isShared = isKnown(thrown.loss, tool) && { shared: true };
  const { endpoint } = thrown;
  const data = {
    server,
    sent: thrown.sent,
    ...(endpoint && { endpoint: endpoint.origin }),
    ...isShared,
    ...(thrown.answered && { answered: true }),
    ...(thrown.tooLarge && { tooLarge: true }),
    ...withoutUndefined({ status: thrown.status }),
    ...whenAgain(thrown),
  };
  const text = endpoint
    ? `'${tool}' was not sent to server '${server}': ${thrown.message}.`
    : `Server '${server}' was lost during '${tool}': ${thrown.message}.`;
  return new PlaneError("SERVER_UNAVAILABLE", text, { data, cause: thrown });
}

const losses = new WeakMap<object, Set<string>>();
const lossOf = new WeakMap<PlaneError, object>();

/** Notes which failure the error reports. */
export function withLoss(error: PlaneError, loss: object): PlaneError {
  lossOf.set(error, loss);
  return error;
}

/** One loss is one failure of a tool, however many of its calls meet it. */
function isKnown(loss: object | undefined, tool: string): boolean {
  if (loss === undefined) return false;
  const ended = losses.get(loss) ?? new Set();
  losses.set(loss, ended);
  const isIn = ended.has(tool);
  ended.add(tool);
  return isIn;
}

export function createServerHider(
  { args, env, headers, auth }: ServerDefinition,
  others: readonly string[],
) {
  const given = [...Object.values(env), ...Object.values(headers), ...args.flatMap(secretArgument)];
  return createHider([
    ...others,
    ...given,
    auth?.token,
    auth?.clientSecret,
    ...Object.values(auth?.schemes ?? {}),
  ]);
}

/** `--token X` and `--token=X`. */
function secretArgument(argument: string, at: number, all: readonly string[]): string[] {
  const [, name = "", value = ""] = /^([\w.-]+)=([\s\S]+)$/.exec(argument) ?? [];
  if (name !== "") return looksSecret(name) ? [value] : [];
  const before = all[at - 1] ?? "";
  return /^--?[A-Za-z][\w.-]*$/.test(before) && looksSecret(before) && !argument.startsWith("--")
    ? [argument]
    : [];
}

export function withoutSecrets(thrown: unknown, hide: (text: string) => string): unknown {
  if (thrown instanceof RpcError)
    return new RpcError(
      thrown.code,
      hide(thrown.message),
      hideIn(thrown.data, hide),
      thrown.saidBy,
    );
  if (thrown instanceof TransportError) return new TransportError(hide(thrown.message), thrown);
  return thrown;
}

function hideIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((item) => hideIn(item, hide));
  if (!isObject(value) || isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideIn(item, hide)]));
}

/** The server has not seen the request. By default no time is known when a retry makes sense. */
export function notSent(
  code: ErrorCode,
  server: string,
  text: string,
  more: UnknownObject = {},
): PlaneError {
  return new PlaneError(code, text, { data: { server, sent: false, retryAt: null, ...more } });
}

/** Models read this, so it has no output of the server. */
export function describeUnavailable(name: string, why: string, stderrTail: string | null): string {
  const place = stderrTail === null ? "" : ` ${personHints.serverLogs(name)}`;
  return `Server '${name}' is not available: ${sentence(why)}${place}`;
}

const longest = 200;
/** What a runtime writes around the reason. */
const around = /^\s*(?:at |File "|Node\.js v|Traceback|node:|\^|~|throw |[{}()[\];]*$)/;
const reasons =
  /error|exception|fail|cannot|could not|missing|not found|denied|refused|invalid|panic|fatal/i;

/** The line that most likely says why the process ended. */
export function reasonLine(said: string): string | null {
  const lines = said
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const telling = lines.filter((line) => !around.test(line));
  const line = telling.findLast((one) => reasons.test(one)) ?? telling.at(-1) ?? lines.at(-1);
  return line === undefined ? null : cutText(line, longest);
}

/** The other side's last words, without secrets. */
export function stderrTailOf(cause: unknown, hide: (text: string) => string): string | null {
  const words = cause instanceof TransportError ? reasonLine(cause.said) : null;
  return words === null ? null : hide(words);
}

/** Adds to the error of a call that was given up what was seen of it until then. */
export function withSeen(error: PlaneError, thrown: unknown): PlaneError {
  if (!(thrown instanceof GivenUp)) return error;
  const { code, message, data, cause } = error;
  const { seen } = thrown;
  const text = `${message} ${sentence(seen.charAt(0).toUpperCase() + seen.slice(1))}`;
  return new PlaneError(code, text, { data: { ...data, seen }, cause });
}

/** The same for a hidden server and for one that does not exist. */
export function unknownServer(server: string): PlaneError {
  return new PlaneError("SERVER_NOT_FOUND", `No server '${server}' is configured for you.`, {
    data: { server },
  });
}
