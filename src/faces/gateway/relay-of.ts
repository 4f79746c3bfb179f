import { withExactNumbers } from "../../lib/exact-numbers.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Relay } from "../../model/relay.ts";
import { type LogLevel, logLevels } from "../../model/server.ts";
import { relayQuestion } from "./relay-questions.ts";
import type { RequestContext } from "./visit.ts";

const ownPrefix = "io.modelcontextprotocol/";

/** How a request speaks with the client that made it. */
export function relayOf(visit: RequestContext, params: UnknownObject, plane?: Pick<Plane, "config">): Relay {
  const { era, logLevel, notify } = visit;
  const given = withExactNumbers(isObject(params._meta) ? params._meta : {});
  const { progressToken } = given;
  const meta = metaFor(given);
  return {
    client: visit.client,
    onQuestion: (_server, asked, signal) => relayQuestion(visit, asked, signal, plane),
    ...(progressToken === undefined
      ? {}
      : {
          onProgress: ({ progress, total, message }) =>
            notify("notifications/progress", {
              progressToken,
              progress,
              ...(total === null ? {} : { total }),
              ...(message === null ? {} : { message }),
            }),
        }),
    onLog(message) {
      if (isLoudEnough(message.level, logLevel)) notify("notifications/message", message);
    },
    ...(meta ? { meta } : {}),
    ...(era === "modern" ? { continuation: continuationIn(params) } : {}),
  };
}

function continuationIn({ inputResponses, requestState }: UnknownObject) {
  return {
    ...(inputResponses === undefined ? {} : { inputResponses: withExactNumbers(inputResponses) }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

/** What the client says for the server: all but what is settled between each two of us. */
export function metaFor(given: UnknownObject): UnknownObject | undefined {
  const passed = Object.entries(given).filter(
    ([key]) =>
      key !== "progressToken" &&
      key !== "tool_call_id" &&
      !key.startsWith(ownPrefix) &&
      !key.startsWith("toolplane/"),
  );
  return passed.length === 0 ? undefined : Object.fromEntries(passed);
}

export function isLoudEnough(level: unknown, wanted: LogLevel | null): boolean {
  if (wanted === null) return false;
  const known = logLevels.indexOf(level as LogLevel);
  // What has no level that we know is not worth being lost.
  return known < 0 || known >= logLevels.indexOf(wanted);
}
