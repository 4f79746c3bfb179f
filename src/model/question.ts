import type { JsonObject } from "./json.ts";

/** What a server asks a person in the middle of a call. */
export type Question = {
  id: string;
  callId: string;
  server: string;
  tool: string;
  /** Who called, and so who may answer. */
  user: string | null;
  /** Of the call; left out where it belongs to none. */
  conversation?: string;
  message: string;
  /** The fields to fill in; null when a page is to be visited instead. */
  schema: JsonObject | null;
  url: string | null;
  askedAt: string;
  expiresAt: string;
};

export type QuestionAnswer = {
  action: "accept" | "decline" | "cancel";
  content?: unknown;
};
