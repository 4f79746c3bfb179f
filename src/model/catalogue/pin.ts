import type { JsonObject } from "../json.ts";
import type { ChangedBy, NewChange } from "./change.ts";

/** `seen` on the first day, `accepted` or `rejected` by a person. */
export type PinState = "seen" | "accepted" | "rejected";

/** What a pin is compared by. */
export type PinHead = {
  tool: string;
  state: PinState;
  /** Of the definition in any order of its keys; null where none was ever good. */
  hash: string | null;
  /** Of the definition as the server wrote it, which is quicker to tell. */
  quickHash: string | null;
  /** The version of our scan that found nothing in it; null when something was found. */
  cleanBy: number | null;
};

/** The definition of a server's tool that is taken for good. */
export type Pin = PinHead & {
  /** Stands for the server's name and for what is started or asked under it. */
  identity: string;
  server: string;
  definition: JsonObject | null;
  at: string;
  by: ChangedBy;
  reason: string | null;
};

/** What is known of a server; of one that was never seen, what people have decided. */
export type PinnedServer = { isKnown: boolean; heads: PinHead[] };

/** A decision of a person, and what is told of it. */
export type PinDecision = { pin: Pin; change: NewChange };

/** One line of the difference between two definitions, by JSON pointer. */
export type DefinitionDifference = { where: string; before: string | null; after: string | null };

export const pinStatuses = ["pinned", "changed", "new", "rejected"] as const;
export type PinStatus = (typeof pinStatuses)[number];

export type PinView = {
  name: string;
  server: string;
  tool: string;
  /** How the definition of today stands to the pin. */
  status: PinStatus;
  /** Why the tool cannot be called; null when it can. */
  held: string | null;
  state: PinState | null;
  at: string | null;
  by: ChangedBy | null;
  reason: string | null;
};

export type PinDiff = PinView & { difference: DefinitionDifference[] };
/** `held` are those that cannot be called because of it. */
export type PinFilter = { server?: string; status?: PinStatus; held?: boolean };
