import { errorTable, strangerMessage, toPlaneError } from "../../model/errors.ts";
import { RpcError } from "../../protocol/message.ts";
import type { Answer } from "./visit.ts";

/** Whatever was thrown, as the client may read it. What a server answered is passed on as it is. */
export function renderFailure(thrown: unknown): Answer {
  if (thrown instanceof RpcError) {
    const { code, message, data } = thrown;
    return { error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
  const { code, message, data } = toPlaneError(thrown);
  const told = strangerMessage(code, data);
  return {
    error: { code: errorTable[code].rpc, message: told?.message ?? message, data: { code, ...told?.data } },
  };
}
