import { z } from "@hono/zod-openapi";
import type { Plane } from "../../../model/plane.ts";
import { parseBody } from "../body.ts";
import { type App, addRoute } from "../route.ts";

const params = { name: "The tool's name, with its server." };
const object = z.record(z.string(), z.unknown());

const Definition = z.object({
  description: z.string(),
  parameters: object,
  tokens: z.number().int(),
});

const OverlayView = z
  .object({
    tool: z.string(),
    source: z.enum(["stored", "config"]).nullable().openapi({ description: "Who says it; null for nobody." }),
    overlay: object.openapi({
      description: "As `PUT /tools/{name}` takes it. Fixed values are `«hidden»`; given back so, they stay.",
    }),
    listed: Definition.openapi({ description: "What a model would see without it." }),
    seen: Definition.openapi({ description: "What a model sees with it." }),
    tokenizer: z.string(),
    warnings: z.array(z.string()),
  })
  .openapi("OverlayView");

/** What is said here about a tool of a server, and what would come of saying something else. */
export function addOverlayRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools/{name}/overlay", tag: "Tools", scope: "admin", params },
      summary: "What is said about a tool of a server, and what a model sees of it",
      answers: { 200: { description: "The overlay in force.", schema: OverlayView } },
    },
    async ({ c, caller, param }) => c.json(await plane.overlay(param("name"), caller)),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/tools/{name}/overlay/preview", tag: "Tools", scope: "admin", params },
      summary: "What a model would see of a tool under another overlay; nothing is changed",
      body: {
        schema: object,
        description: "The overlay.",
        example: { arguments: [{ name: "name", description: "Whom to greet", default: "world" }] },
      },
      answers: { 200: { description: "What would come of it.", schema: OverlayView } },
    },
    async ({ c, caller, param }) => {
      const overlay = parseBody(await c.req.text(), '{"description": "…", "arguments": […]}');
      return c.json(await plane.previewOverlay(param("name"), overlay, caller));
    },
  );
}
