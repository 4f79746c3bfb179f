import type { JsonObject } from "../json.ts";
import type { OfferKind } from "../servers/server.ts";
import type { NewChange } from "./change.ts";
import type { ChangedBy } from "./change-schema.ts";

/** `seen` at first, `accepted` or `rejected` by a person. */
type PinState = "seen" | "accepted" | "rejected";

export type PinHead = {
  tool: string;
  state: PinState;
  /** Independent of key order; null where none was ever good. */
  hash: string | null;
  /** Of the text as the server wrote it: quicker. */
  quickHash: string | null;
  /** The version of the scan that found nothing; null when it found something. */
  cleanBy: number | null;
};

/** Lists of definitions that are scanned and pinned; `written` is what people wrote, which is scanned only. */
export type PinnedList = "tools" | OfferKind | "instructions" | "pages" | "skills" | "written";

export const pinKinds = [
  "tool",
  "prompt",
  "resource",
  "template",
  "instructions",
  "page",
  "skill",
] as const;
export type PinKind = (typeof pinKinds)[number];

/** The trusted definition of a server's tool, prompt, resource or template, its instructions, a skill, or the content of a page. */
export type Pin = PinHead & {
  /** Of the server's name and what is started or asked under it. */
  identity: string;
  server: string;
  definition: JsonObject | null;
  at: string;
  by: ChangedBy;
  reason: string | null;
};

/** Of an unknown server only people's decisions. */
export type PinnedServer = { isKnown: boolean; heads: PinHead[] };

export type PinDecision = { pin: Pin; change: NewChange };

export const pinStatuses = ["pinned", "changed", "new", "rejected"] as const;
export type PinStatus = (typeof pinStatuses)[number];

/** `held` cannot be called because of it. */
export type PinFilter = { server?: string; status?: PinStatus; held?: boolean };
