import type { ServerResponse } from "node:http";
import type { MiddlewareHandler } from "hono";
import { createQuota } from "../../lib/quota.ts";
import { PlaneError } from "../../model/errors.ts";
import { readWait } from "./prefer.ts";
import { type HttpContext, type HttpEnv, wantsStream } from "./route.ts";

/** Streams and long waits cost the plane for as long as a client likes, so each caller has so many. */
export function limitHeldOpen(limitNow: () => number): MiddlewareHandler<HttpEnv> {
  const quota = createQuota(limitNow);
  return async (c, next) => {
    const principal = c.get("principal");
    if (principal === undefined || !isHeldOpen(c)) return next();
    const release = quota.take(JSON.stringify([principal.user, principal.key]));
    if (release === null) {
      const limit = limitNow();
      throw new PlaneError(
        "BUSY",
        `This caller has ${limit} streams and waiting requests open, which is the limit. Close some, or ask again later.`,
        { data: { limit } },
      );
    }
    const { outgoing } = (c.env ?? {}) as { outgoing?: ServerResponse };
    outgoing?.once("close", release);
    await next().finally(() => outgoing === undefined && release());
  };
}

function isHeldOpen(c: HttpContext): boolean {
  return c.req.path === "/events" || wantsStream(c) || (readWait(c.req.header("prefer")) ?? 0) > 0;
}
