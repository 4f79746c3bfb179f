import { setImmediate as nextTurn } from "node:timers/promises";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { sizeOf } from "../../lib/json/json-text.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { type Outcome, onUnavailableChoices, policyModes } from "../../model/calls/call.ts";
import { describeProgress, type Relay, readTraceContext } from "../../model/calls/provider.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { CallBody } from "../../operations/declared/tools.ts";
import { accessOptionsIn } from "../../operations/schemas/access-options.ts";
import { parseBody, unknownField } from "./body.ts";
import type { HttpAddition } from "./operation-routes.ts";
import { withWaiting } from "./prefer.ts";
import { problemResponse, renderOutcome } from "./render.ts";
import { type HttpContext, keepAliveMs, wantsStream } from "./route.ts";

const longLength = 256 * 1024;

/** The outcome of a call; how far it is as well, for clients that ask for a stream. */
export const answerCallRequest: NonNullable<HttpAddition["answer"]> = async (
  { c },
  run,
  { approvalWaitMs },
) => {
  const meta = readTraceContext(c.req.header());
  const call = (more: { relay: Relay; signal?: AbortSignal }): Promise<Outcome> =>
    run({ ...more, relay: { ...more.relay, ...(meta && { meta }) } });
  if (wantsStream(c)) return streamCall(c, call);
  const outcome = await call({ relay: {} });
  // To write a long one takes as long as to read it: others get a turn in between.
  if ((sizeOf(outcome.result ?? {}) ?? 0) > longLength) await nextTurn();
  return withWaiting(
    renderOutcome(outcome),
    outcome,
    approvalWaitMs === undefined ? null : Number(approvalWaitMs) / 1_000,
  );
};

/** What the server tells, as it tells it, and at last the outcome. A client that goes away cancels the call. */
function streamCall(
  c: HttpContext,
  call: (more: { relay: Relay; signal: AbortSignal }) => Promise<Outcome>,
): Response {
  return streamSSE(c, async (stream) => {
    const disconnect = new AbortController();
    stream.onAbort(() => disconnect.abort(new Error("the client went away")));
    const write = createSpeaker(stream);
    const silence = setInterval(() => write(() => stream.write(": still here\n\n")), keepAliveMs);
    const writeEvent = (event: string, data: string) =>
      write(() => stream.writeSSE({ event, data }));
    const relay: Relay = {
      onProgress: (progress) =>
        void writeEvent("progress", JSON.stringify(describeProgress(progress))),
      onLog: (message) => void writeEvent("log", JSON.stringify(message)),
    };
    try {
      const answer = await call({ relay, signal: disconnect.signal }).then(
        renderOutcome,
        problemResponse,
      );
      await writeEvent("outcome", await answer.text());
    } finally {
      clearInterval(silence);
    }
  });
}

/** One after the other, as they come. */
function createSpeaker(stream: SSEStreamingApi) {
  let lastWrite: Promise<unknown> = Promise.resolve();
  return (write: () => Promise<unknown>): Promise<unknown> => {
    lastWrite = lastWrite.then(() => (stream.aborted ? undefined : write()));
    return lastWrite;
  };
}

/** What other APIs call the arguments. */
const argumentWords = ["args", "argument", "params", "parameters", "input"];
const maxShownArguments = 5;

const isText = (value: unknown) => typeof value === "string";
/** What a field has to be, and how that is said. Access options are checked where they count. */
const checks: Readonly<
  Record<string, readonly [isFit: (value: unknown) => boolean, wanted: string]>
> = {
  mode: [(value) => policyModes.some((mode) => mode === value), `one of ${policyModes.join(", ")}`],
  dryRun: [(value) => typeof value === "boolean", "true or false"],
  timeoutMs: [
    (value) => typeof value === "number" && value >= 0,
    "a number of milliseconds, 0 for no limit",
  ],
  conversation: [isText, "a text"],
  idempotencyKey: [(value) => isText(value) && value !== "", "a text"],
  onUnavailable: [
    (value) => onUnavailableChoices.some((choice) => choice === value),
    `one of ${onUnavailableChoices.join(", ")}`,
  ],
  page: [
    (value) =>
      isObject(value) &&
      isText(value.server) &&
      isText(value.uri) &&
      Object.keys(value).length === 2,
    'the page that calls: {"server": "…", "uri": "ui://…"}',
  ],
  files: [
    (value) => isObject(value) && Object.values(value).every(isText),
    "an object of addresses by file name",
  ],
  maxResultBytes: [
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    "a whole number of characters, 0 for no limit",
  ],
};

/** What a call is made with; what makes no sense is refused by name. */
export function parseCall(text: string): UnknownObject {
  const body = parseBody(text, '{"arguments": {…}}');
  refuseUnknown(body);
  for (const [name, [isFit, expected]] of Object.entries(checks))
    if (body[name] !== undefined && !isFit(body[name]))
      throw new PlaneError("USAGE", `'${name}' must be ${expected}.`, {
        data: { parameter: name },
      });
  const checked = Object.fromEntries(Object.keys(checks).map((name) => [name, body[name]]));
  return { arguments: body.arguments, ...accessOptionsIn(body), ...withoutUndefined(checked) };
}

/** An unknown field is a misspelt option or an argument in the wrong place: the call would run without what was meant. */
function refuseUnknown(body: UnknownObject): void {
  const knownFields = Object.keys(CallBody.shape);
  const unknown = Object.keys(body).filter((key) => !knownFields.includes(key));
  const [firstUnknown] = unknown;
  if (firstUnknown === undefined) return;
  if (Object.hasOwn(body, "arguments")) throw unknownField(firstUnknown, knownFields);
  if (argumentWords.includes(firstUnknown.toLowerCase()) && isObject(body[firstUnknown]))
    throw unknownField(firstUnknown, knownFields, "arguments");
  const [likeliest] = nearest(firstUnknown, knownFields, 1);
  const suggestion =
    likeliest === undefined
      ? ""
      : ` If you meant '${likeliest}', write that instead of '${firstUnknown}'.`;
  throw new PlaneError(
    "USAGE",
    `The body has no 'arguments'. Send ${bodyWith(body, unknown)}.${suggestion}`,
    {
      data: { parameter: "arguments" },
    },
  );
}

/** The body that was probably meant. Text is left out of it: it may be secret. */
function bodyWith(body: UnknownObject, names: readonly string[]): string {
  const shown = names.slice(0, maxShownArguments).map((name) => {
    const value = body[name];
    const isPlain = typeof value === "number" || typeof value === "boolean" || value === null;
    return `${JSON.stringify(name)}: ${isPlain ? JSON.stringify(value) : "…"}`;
  });
  const ellipsis = names.length > maxShownArguments ? ", …" : "";
  return `{"arguments": {${shown.join(", ")}${ellipsis}}}`;
}
