import { z } from "zod";

/** All that is shown of something that is not for the caller. */
export const Locked = z
  .object({
    name: z.string(),
    description: z.string(),
    contact: z.object({ author: z.string().nullable(), help_email: z.string().nullable() }),
    locked: z.literal(true),
  })
  .meta({ id: "Locked", description: "Not for the caller; `contact` says whom to ask." });
