import { z } from "zod";

export const Done = z.object({ ok: z.boolean() });
