import { z } from "@hono/zod-openapi";

export const Done = z.object({ ok: z.boolean() });
