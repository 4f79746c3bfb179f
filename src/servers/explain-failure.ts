import { PlaneError } from "../model/errors.ts";
import { RpcError, TransportError } from "../protocol/message.ts";

/** What was not sent because the session was gone goes out again at once, over a new one. */
function whenAgain({ permanent, sent, status, retryAfterMs }: TransportError): {
  retryAt?: null;
  retryInMs?: number;
} {
  if (permanent) return { retryAt: null };
  if (retryAfterMs !== undefined) return { retryInMs: retryAfterMs };
  return sent || (status !== undefined && status !== 404) ? {} : { retryInMs: 0 };
}

/** What went wrong between us and a server, in our words. */
export function explainFailure(thrown: unknown, server: string, tool: string): unknown {
  if (thrown instanceof RpcError) {
    return new PlaneError("PROVIDER_FAILED", `Server '${server}' failed on '${tool}': ${thrown.message}`, {
      data: {
        server,
        sent: true,
        rpcCode: thrown.code,
        ...(thrown.data === undefined ? {} : { rpcData: thrown.data }),
      },
      cause: thrown,
    });
  }
  if (thrown instanceof TransportError) {
    return new PlaneError(
      "SERVER_UNAVAILABLE",
      `Server '${server}' was lost during '${tool}': ${thrown.message}.`,
      {
        data: { server, sent: thrown.sent, ...whenAgain(thrown) },
        cause: thrown,
      },
    );
  }
  return thrown;
}
