import type { Durability } from "./settings.ts";

/** Seals text with the key of the planes on a store. What is sealed under one name cannot be moved to another. */
export type RecordSealer = {
  seal(name: string, text: string): string;
  /** Null where another key has sealed it, or where it was changed. */
  open(name: string, sealed: string): string | null;
};

export type StoreSettings = {
  durability: Durability;
  /** Null where the planes on the store have no key in common: then nothing is sealed by it. */
  sealer: RecordSealer | null;
};
