import { z } from "zod";

/** As a server lists it, and whose it is. */
export const ListedSchema = z.looseObject({ server: z.string() }).meta({ id: "Listed" });
