import { z } from "@hono/zod-openapi";
import { once } from "../../../lib/once.ts";
import { docsPage } from "../docs-page/page.ts";
import { createDocument } from "../document.ts";
import { type App, addRoute } from "../route.ts";

/** The API about itself. Added last, so that the document holds every other route. */
export function addDocumentRoutes(app: App): void {
  const document = once(async () => JSON.stringify(createDocument(app)));
  const page = once(async () => docsPage());
  addRoute(
    app,
    {
      ...{ method: "get", path: "/openapi.json", tag: "Operation", scope: "read" },
      summary: "This document",
      answers: { 200: { description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) } },
    },
    async ({ c }) => c.body(await document(), 200, { "content-type": "application/json" }),
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/docs", tag: "Operation", scope: "read" },
      summary: "The same to read, with a form to try what only reads",
      answers: { 200: { description: "A page that loads nothing from elsewhere.", type: "text/html" } },
    },
    async ({ c }) => {
      const { html, policy } = await page();
      return c.body(html, 200, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
    },
  );
}
