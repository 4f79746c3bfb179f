import { PlaneError } from "../../model/errors.ts";
import { isObject, type Json } from "../../model/json.ts";
import type { Provider, ToolFunction } from "../../model/provider.ts";
import { resultOf } from "./mapping.ts";

/** Executes a tool with a function of this program: `config.function` says which. */
export function createFunctionProvider(find: (name: string) => ToolFunction | undefined): Provider {
  return async ({ config }, args, { signal, owner, idempotencyKey, onProgress }) => {
    const name = String(config.function);
    const run = find(name);
    if (run === undefined) {
      throw new PlaneError("NO_PROVIDER", `No function '${name}' is registered.`, {
        data: { sent: false, retryAt: null },
      });
    }
    try {
      return toResult(await run(args, { signal, owner, idempotencyKey, onProgress }));
    } catch (thrown) {
      if (thrown instanceof PlaneError) throw thrown;
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      // What it did before it threw is known to nobody.
      throw new PlaneError("PROVIDER_FAILED", `The function of '${name}' failed: ${message}`, {
        data: { sent: true },
        cause: thrown,
      });
    }
  };
}

/** A result in the form of MCP is passed on; anything else becomes one. */
export function toResult(value: unknown): unknown {
  if (value === undefined) return { content: [] };
  return isObject(value) && Array.isArray(value.content) ? value : resultOf(value as Json);
}
