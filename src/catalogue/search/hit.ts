import type { Findable } from "./fields.ts";

/** A tool and how well it fits. Slots are the index's own and may mean another tool after the next change. */
export type Hit = { tool: Findable; score: number };

/** What one way of searching comes to. */
export type Result = {
  total: number;
  hits: Hit[];
  notes: string[];
  /** It ended before everything was looked at. */
  isPartial?: boolean;
};
