import { type ErrorCode, errorTable, toPlaneError } from "../../model/errors.ts";
import { RpcError } from "../../protocol/message.ts";
import type { Answer } from "./visit.ts";

/** Errors whose text names files of ours. */
const ourOwnTrouble: readonly ErrorCode[] = ["INTERNAL", "STORE_FAILED", "CONFIG_INVALID"];

/** Whatever was thrown, as the client may read it. What a server answered is passed on as it is. */
export function renderFailure(thrown: unknown): Answer {
  if (thrown instanceof RpcError) {
    const { code, message, data } = thrown;
    return { error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
  const { code, message } = toPlaneError(thrown);
  const { rpc, means } = errorTable[code];
  return { error: { code: rpc, message: ourOwnTrouble.includes(code) ? means : message, data: { code } } };
}
