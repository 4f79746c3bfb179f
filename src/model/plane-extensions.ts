import type { ExtensionsMethods } from "../../generated/plane-methods.ts";
import type {
  ExtensionPanel,
  ExtensionState,
  ExtensionVerb,
} from "./extensions/extension-schema.ts";
import type { Json, UnknownObject } from "./json.ts";
import type { AbortSignal } from "./platform.ts";
import type { Caller } from "./principal.ts";

/** Extensions, and the operations that they have added. */
export interface PlaneExtensions extends ExtensionsMethods {
  /**
   * In the order in which they were set up, with what each has added and what its start costs.
   * @example
   * for (const { name, state, adds } of await plane.extensions.list()) console.log(name, state, adds);
   */
  list(): Promise<ExtensionState[]>;
  /** The operations that extensions have added. */
  operations(): Promise<ExtensionVerb[]>;
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
  /** Facts of the extensions, for people. */
  panels(): Promise<ExtensionPanel[]>;
}
