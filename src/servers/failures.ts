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
function retryHints(error: TransportError) {
  const { permanent, sent, sessionEnded, status, retryAfterMs, endpoint } = error;
  if (permanent) return { retryAt: null, permanent: true };
  if (endpoint !== undefined && retryAfterMs === undefined) {
    const retryInMs = Math.max(1, endpoint.restMs);
    if (!endpoint.hangs && retryInMs <= maxEndpointWaitMs) return { retryInMs };
    return { retryAt: wallTime(steadyNow() + retryInMs) };
  }
  if (retryAfterMs !== undefined) return { retryInMs: retryAfterMs, announced: true };
  return sessionEnded || (!sent && status === undefined) ? { retryInMs: 0 } : {};
}

export function explainFailure(thrown: unknown, server: string, tool: string): unknown {
  if (thrown instanceof RpcError) return explainRpcError(thrown, server, tool);
  if (thrown instanceof PlaneError) {
    const { code, message, data, cause } = thrown;
    if (!isRepeatedLoss(lossOf.get(thrown), tool)) return thrown;
    return new PlaneError(code, message, { data: { ...data, shared: true }, cause });
  }
  return thrown instanceof TransportError ? explainLoss(thrown, server, tool) : thrown;
}

function explainRpcError(error: RpcError, server: string, tool: string): PlaneError {
  const isOurs = error.saidBy === "us";
  const isTooLarge = isOurs && isObject(error.data) && error.data.tooLarge === true;
  const data = withoutUndefined({
    server,
    sent: true,
    tooLarge: isTooLarge || undefined,
    rpcCode: error.code,
    saidBy: isOurs ? "plane" : undefined,
    rpcData: error.data,
  });
  const text = `Server '${server}' failed on '${tool}': ${error.message}`;
  return new PlaneError("PROVIDER_FAILED", text, { data, cause: error });
}

function explainLoss(error: TransportError, server: string, tool: string): PlaneError {
  const { endpoint, message } = error;
  const data = {
    ...withoutUndefined({
      server,
      sent: error.sent,
      endpoint: endpoint?.origin,
      shared: isRepeatedLoss(error.loss, tool) || undefined,
      answered: error.answered || undefined,
      tooLarge: error.tooLarge || undefined,
      status: error.status,
    }),
    ...retryHints(error),
  };
  const text = endpoint
    ? `'${tool}' was not sent to server '${server}': ${message}.`
    : `Server '${server}' was lost during '${tool}': ${message}.`;
  return new PlaneError("SERVER_UNAVAILABLE", text, { data, cause: error });
}

const toolsByLoss = new WeakMap<object, Set<string>>();
const lossOf = new WeakMap<PlaneError, object>();

/** Notes which failure the error reports. */
export function withLoss(error: PlaneError, loss: object): PlaneError {
  lossOf.set(error, loss);
  return error;
}

/** One loss is one failure of a tool, however many of its calls meet it. */
function isRepeatedLoss(loss: object | undefined, tool: string): boolean {
  if (loss === undefined) return false;
  const failedTools = toolsByLoss.get(loss) ?? new Set();
  toolsByLoss.set(loss, failedTools);
  const wasReported = failedTools.has(tool);
  failedTools.add(tool);
  return wasReported;
}

export function createServerHider(
  { args, env, headers, auth }: ServerDefinition,
  otherSecrets: readonly string[],
) {
  const configuredValues = [
    ...Object.values(env),
    ...Object.values(headers),
    ...args.flatMap(secretArgument),
  ];
  return createHider([
    ...otherSecrets,
    ...configuredValues,
    auth?.token,
    auth?.clientSecret,
    ...Object.values(auth?.schemes ?? {}),
  ]);
}

/** `--token X` and `--token=X`. */
function secretArgument(argument: string, index: number, args: readonly string[]): string[] {
  const [, name = "", value = ""] = /^([\w.-]+)=([\s\S]+)$/.exec(argument) ?? [];
  if (name !== "") return looksSecret(name) ? [value] : [];
  const previous = args[index - 1] ?? "";
  const isSecretOption = /^--?[A-Za-z][\w.-]*$/.test(previous) && looksSecret(previous);
  return isSecretOption && !argument.startsWith("--") ? [argument] : [];
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
  if (Array.isArray(value)) return value.map((element) => hideIn(element, hide));
  if (!isObject(value) || isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, hideIn(member, hide)]),
  );
}

/** The server has not seen the request. By default no time is known when a retry makes sense. */
export function notSent(
  code: ErrorCode,
  server: string,
  text: string,
  details: UnknownObject = {},
): PlaneError {
  return new PlaneError(code, text, { data: { server, sent: false, retryAt: null, ...details } });
}

/** Models read this, so it has no output of the server. */
export function describeUnavailable(
  name: string,
  reason: string,
  stderrTail: string | null,
): string {
  const hint = stderrTail === null ? "" : ` ${personHints.serverLogs(name)}`;
  return `Server '${name}' is not available: ${sentence(reason)}${hint}`;
}

const maxReasonLength = 200;
/** What a runtime writes around the reason. */
const runtimeNoise = /^\s*(?:at |File "|Node\.js v|Traceback|node:|\^|~|throw |[{}()[\];]*$)/;
const failureWords =
  /error|exception|fail|cannot|could not|missing|not found|denied|refused|invalid|panic|fatal/i;

/** The line that most likely says why the process ended. */
export function reasonLine(output: string): string | null {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const relevant = lines.filter((line) => !runtimeNoise.test(line));
  const line =
    relevant.findLast((candidate) => failureWords.test(candidate)) ??
    relevant.at(-1) ??
    lines.at(-1);
  return line === undefined ? null : cutText(line, maxReasonLength);
}

/** The other side's last words, without secrets. */
export function stderrTailOf(cause: unknown, hide: (text: string) => string): string | null {
  if (!(cause instanceof TransportError)) return null;
  const reason = reasonLine(cause.said);
  return reason === null ? null : hide(reason);
}

/** Adds to the error of a call that was given up what was seen of it until then. */
export function withSeen(error: PlaneError, thrown: unknown): PlaneError {
  if (!(thrown instanceof GivenUp)) return error;
  const { code, message, data, cause } = error;
  const { seen: progress } = thrown;
  const text = `${message} ${sentence(progress.charAt(0).toUpperCase() + progress.slice(1))}`;
  return new PlaneError(code, text, { data: { ...data, seen: progress }, cause });
}

/** The same for a hidden server and for one that does not exist. */
export function unknownServer(server: string): PlaneError {
  return new PlaneError("SERVER_NOT_FOUND", `No server '${server}' is configured for you.`, {
    data: { server },
  });
}
