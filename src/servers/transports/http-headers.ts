import { isObject } from "../../model/json.ts";
import { encodeHeaderValue } from "../../protocol/header-value.ts";
import type { OutgoingMessage } from "../../protocol/message.ts";
import { modernVersion } from "../../protocol/session.ts";

const versionKey = "io.modelcontextprotocol/protocolVersion";

/** What a message of the revision without sessions repeats in its headers; undefined for any other message. */
export function modernHeaders(
  message: OutgoingMessage,
  settledVersion: string | undefined,
): Record<string, string> | undefined {
  const params = "method" in message ? (message.params ?? {}) : {};
  const named = isObject(params._meta) ? params._meta[versionKey] : undefined;
  const version = typeof named === "string" ? named : settledVersion;
  if (version === undefined || (version !== named && version !== modernVersion)) return undefined;
  const name = [params.name, params.uri, params.taskId].find((value) => typeof value === "string");
  return {
    "mcp-protocol-version": version,
    ...("method" in message ? { "mcp-method": message.method } : {}),
    ...(name === undefined ? {} : { "mcp-name": encodeHeaderValue(name) }),
  };
}
