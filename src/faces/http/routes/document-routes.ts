import { z } from "zod";
import { once } from "../../../lib/async/once.ts";
import { createDocument } from "../describe-route.ts";
import { type App, addRoute } from "../route.ts";

/** The API about itself. Added last, so that the document holds every other route. */
export function addDocumentRoutes(app: App): void {
  const document = once(async () => JSON.stringify(createDocument(app.routesDescribed)));
  addRoute(
    app,
    {
      ...{ method: "get", path: "/openapi.json", tag: "Operation", scope: "read" },
      summary: "This document",
      answers: { 200: { description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) } },
    },
    async ({ c }) => c.body(await document(), 200, { "content-type": "application/json" }),
  );
}
