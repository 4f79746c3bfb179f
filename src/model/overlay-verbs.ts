import type { ToolOverlay } from "./catalogue/tool.ts";
import type { JsonObject, UnknownObject } from "./json.ts";
import type { Caller } from "./principal.ts";

/** Stands for a fixed value that is shown to nobody; set again, it means the value that is there. */
export const hiddenValue = "«hidden»";

/** A definition as models get it, and what it costs them. */
export type SeenDefinition = { description: string; parameters: JsonObject; tokens: number };

/** What is said here about a tool of a server, and what comes of it. */
export type OverlayView = {
  tool: string;
  /** Who says it: a person while running, the configuration, or nobody. */
  source: "stored" | "config" | null;
  /** Without fixed values, unless they only refer to a variable. */
  overlay: ToolOverlay;
  /** As the server lists it, without what only the system sets. */
  listed: SeenDefinition;
  /** The same under the overlay. */
  seen: SeenDefinition;
  /** How tokens were counted. */
  tokenizer: string;
  warnings: string[];
};

export interface OverlayVerbs {
  /** What is said here about a tool of a server, and the definition that comes of it. */
  overlay(tool: string, caller?: Caller): Promise<OverlayView>;
  /** What would come of an overlay; nothing is changed. */
  previewOverlay(tool: string, overlay: UnknownObject, caller?: Caller): Promise<OverlayView>;
}
