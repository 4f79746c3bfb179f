import type { ExtensionsMethods } from "../../generated/plane-methods.ts";
import type { Json, UnknownObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller } from "./principal.ts";

/** Extensions, and the operations that they have added. */
export interface PlaneExtensions extends ExtensionsMethods {
  /**
   * Runs one of them.
   * @example
   * console.log(await plane.extensions.run("scripts.reload"));
   */
  run(
    operation: string,
    input?: UnknownObject,
    caller?: Caller & { signal?: AbortSignal },
  ): Promise<Json>;
}
