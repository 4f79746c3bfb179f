import type { Routed } from "../model/call.ts";
import { PlaneError } from "../model/errors.ts";

/** It becomes a header, so it has to be fit for one. */
const fit = /^[\x21-\x7e]{1,255}$/;

/** What stands for one call in all its attempts, for tools that say that they take it. */
export function idempotencyKeyOf({ id, tool, options }: Routed): string | undefined {
  if (tool.metadata.idempotency_key === false) return undefined;
  const { idempotencyKey = id } = options;
  if (typeof idempotencyKey === "string" && fit.test(idempotencyKey)) return idempotencyKey;
  throw new PlaneError(
    "USAGE",
    `'idempotencyKey' of the call of '${tool.name}' must be 1 to 255 visible ASCII characters without spaces.`,
    { data: { tool: tool.name, sent: false } },
  );
}
