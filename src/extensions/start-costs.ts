import type { ExtensionState } from "../model/extensions/extension-schema.ts";

const rounded = (ms: number) => Math.round(ms * 10) / 10;

export const startCosts = (
  importMs: number,
  setupMs: number,
): Pick<ExtensionState, "importMs" | "setupMs" | "startMs"> => ({
  importMs: rounded(importMs),
  setupMs: rounded(setupMs),
  startMs: rounded(importMs + setupMs),
});
