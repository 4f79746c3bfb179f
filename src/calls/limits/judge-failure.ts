import type { PlaneError } from "../../model/errors.ts";

/** A caller that is less patient than this may be the reason itself. */
const fairLimitMs = 10_000;

/** JSON-RPC errors about the request: whoever sends one is well. */
const aboutTheRequest: ReadonlySet<unknown> = new Set([
  -32600, -32601, -32602, -32002, -32042, -32020, -32021, -32022,
]);

/** What a call that did not succeed says about its server: that it is well, that it is not, or nothing. */
export function judgeFailure({ code, data }: PlaneError): "well" | "failing" | "nothing" {
  // What could not be sent is the connection's business, which leaves a server alone for seconds at most.
  if (data.sent === false) return "nothing";
  if (code === "SERVER_UNAVAILABLE") return "failing";
  if (code === "TIMEOUT") {
    const isFair = data.limitSetBy !== "call" || Number(data.limitMs) >= fairLimitMs;
    return isFair ? "failing" : "nothing";
  }
  if (code !== "PROVIDER_FAILED") return "nothing";
  return isOwnTrouble(data.rpcCode) ? "failing" : "well";
}

/** Codes that the protocol does not reserve are a server's own words for what is wrong with a call. */
function isOwnTrouble(rpcCode: unknown): boolean {
  if (typeof rpcCode !== "number") return true;
  return rpcCode >= -32768 && rpcCode <= -32000 && !aboutTheRequest.has(rpcCode);
}
