import { z } from "zod";
import { typed } from "./json-schema.ts";
import { type Face, faces, type Principal } from "./principal.ts";

export const FaceName = typed<Face>("Face").as(z.enum(faces));

/** Programs write principals. */
export const Whose = typed<Principal>("Principal").as(
  z.looseObject({ user: z.string().nullable(), groups: z.array(z.string()) }),
);
