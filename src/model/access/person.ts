import type { PersonView } from "./sign-in-schema.ts";

/** An invitation is a link that is shown once. */
export type Invited = { person: PersonView; url: string; expiresAt: string };

export type PersonAsked = {
  user: string;
  groups?: string[];
  scopes?: string[];
  persona?: string | null;
};
