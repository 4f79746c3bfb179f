import type { ProviderSpec } from "../../model/catalogue/tool.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";

/** Puts variables and secrets in their places. */
export type Reveal = (spec: ProviderSpec) => Promise<JsonObject>;

/** A provider's configuration for use. What is wrong with it is told before anything is sent. */
export async function readConfig<T>(
  spec: ProviderSpec,
  reveal: Reveal,
  parse: (revealed: JsonObject) => T,
): Promise<T> {
  try {
    return parse(await reveal(spec));
  } catch (thrown) {
    const why = thrown instanceof PlaneError ? thrown.message : "its configuration is not valid once it is read";
    throw new PlaneError("CONFIG_INVALID", `The provider '${spec.name}' cannot be used: ${why}`, {
      data: { sent: false, retryAt: null },
      cause: thrown,
    });
  }
}
