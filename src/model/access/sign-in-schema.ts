import { z } from "zod";
import type { TypeOf } from "../json.ts";

const names = z.array(z.string());
const time = z.string().nullable();

export const GrantView = z
  .object({
    id: z.string(),
    user: z.string().meta({ description: "Who allowed it." }),
    client: z.object({
      id: z.string(),
      name: z.string().meta({
        description: "Listed by an administrator, or its own word, with the host of its document.",
      }),
      address: z.string().nullable().meta({ description: "Where its document or page is." }),
      verified: z
        .boolean()
        .meta({ description: "Is the name bound to an address, or set by an administrator?" }),
    }),
    scopes: names,
    resources: names.meta({ description: "The addresses that its tokens are for." }),
    createdAt: z.string(),
    lastUsedAt: time.meta({
      description: "When a token of it was last used; noted once a minute.",
    }),
  })
  .meta({ id: "Grant" });
export type GrantView = TypeOf<typeof GrantView>;

export const PersonView = z
  .object({
    user: z.string(),
    groups: names,
    persona: z.string().nullable(),
    scopes: names.meta({ description: "The most that a client gets of this person." }),
    source: z.enum(["local", "provider"]).meta({ description: "Where the person signs in." }),
    passkeys: z.int(),
    hasPassword: z.boolean(),
    invitedUntil: time.meta({ description: "Until when an unused invitation counts." }),
    createdAt: z.string(),
    lastSignInAt: time,
  })
  .meta({ id: "Person" });
export type PersonView = TypeOf<typeof PersonView>;
