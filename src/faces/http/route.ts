import type { IncomingMessage } from "node:http";
import type { Context, Hono } from "hono";
import type { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { clientAddress } from "../../lib/net/client-address.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Caller } from "../../model/plane.ts";
import { type Face, type Principal, requireScope } from "../../model/principal.ts";
import { needsProof, type Route } from "./describe-route.ts";
import { readQuery } from "./read-query.ts";

/** Who asks is known before any route is reached. */
export type HttpEnv = {
  Bindings: { incoming?: IncomingMessage };
  Variables: {
    principal: Principal;
    face: Face;
  };
};
export type App = Hono<HttpEnv> & { routesDescribed: Route<z.ZodObject>[] };
export type HttpContext = Context<HttpEnv>;

export type RouteRequest<Query extends z.ZodObject> = {
  c: HttpContext;
  caller: Required<Pick<Caller, "principal" | "face">> & Caller;
  query: z.output<Query>;
  /** A part of the path, decoded. */
  param(name: string): string;
};

type NoQuery = z.ZodObject<Record<never, never>>;

/**
 * Adds a route and its description together, so that none goes without. The document does not validate bodies:
 * the parsers that all faces share say better what is wrong.
 */
export function addRoute<Query extends z.ZodObject = NoQuery>(
  app: App,
  route: Route<Query>,
  handle: (request: RouteRequest<Query>) => Response | Promise<Response>,
): void {
  app.routesDescribed.push(route as unknown as Route<z.ZodObject>);
  const title = `${route.method.toUpperCase()} ${route.path}`;
  const path = route.path.replaceAll(/\{([^{}]+)\}/g, ":$1");
  app.on(route.method, path, async (c) => {
    const principal = c.get("principal");
    if (route.scope !== null) requireScope(principal, route.scope, `use ${title}`);
    if (needsProof(route) && principal.isUnproven) throw unproven(title, route.command);
    const { searchParams } = new URL(c.req.url);
    const query = route.describedQuery ? {} : readQuery(route.query, searchParams);
    return handle({
      c,
      caller: { principal, face: c.get("face"), ...clientAddressOf(c) },
      query: query as z.output<Query>,
      param: (name) => c.req.param(name) ?? "",
    });
  });
}

function unproven(title: string, command: string | undefined): PlaneError {
  const instead = command === undefined ? "" : `use 'toolplane ${command}', or `;
  return new PlaneError(
    "FORBIDDEN",
    `${title} needs a proof of who you are. In the workbench, open the link that 'toolplane serve' printed; elsewhere ${instead}send the pass of that link as 'Authorization: Bearer', or a key of 'toolplane keys create'.`,
    { data: { needs: "proof" } },
  );
}

/** Behind a proxy that is not trusted it is the proxy's. */
export function clientAddressOf(c: HttpContext): Pick<Caller, "address"> {
  const incoming = c.env?.incoming;
  const address = incoming && clientAddress(incoming);
  return withoutUndefined({ address });
}

/** Clients of MCP and others take either; a client that takes JSON gets JSON. */
export function wantsStream(c: HttpContext): boolean {
  const accept = c.req.header("accept") ?? "";
  return /\btext\/event-stream\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);
}

/** So often a silent stream writes, because proxies close what is silent for too long. */
export const keepAliveMs = 15_000;
