import { isRawJSON } from "../lib/exact-numbers.ts";
import { createHider } from "../lib/hide-values.ts";
import { isObject } from "../model/json.ts";
import type { ServerDefinition } from "../model/server.ts";
import { RpcError, TransportError } from "../protocol/message.ts";

/** Hides what a server was given, and whatever else must not be told, in texts about it. */
export function createServerHider({ env, headers, auth }: ServerDefinition, others: readonly string[]) {
  return createHider([
    ...others,
    ...Object.values(env),
    ...Object.values(headers),
    auth?.token,
    auth?.clientSecret,
  ]);
}

/** The same failure, told without secrets. */
export function withoutSecrets(thrown: unknown, hide: (text: string) => string): unknown {
  if (thrown instanceof RpcError)
    return new RpcError(thrown.code, hide(thrown.message), hideIn(thrown.data, hide));
  if (thrown instanceof TransportError) return new TransportError(hide(thrown.message), thrown);
  return thrown;
}

/** In every text of a value, however deep. */
function hideIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((item) => hideIn(item, hide));
  if (!isObject(value) || isRawJSON(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideIn(item, hide)]));
}
