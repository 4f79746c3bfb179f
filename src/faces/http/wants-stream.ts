import type { HttpContext } from "./route.ts";

/** Clients of MCP and others take either; a client that takes JSON gets JSON. */
export function wantsStream(c: HttpContext): boolean {
  const accept = c.req.header("accept") ?? "";
  return /\btext\/event-stream\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);
}
