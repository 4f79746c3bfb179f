import { z } from "zod";
import type { Plane } from "../../../model/plane.ts";
import type { Listed as ListedItem } from "../../../model/plane-tools.ts";
import { Listed } from "../../../operations/schemas/server.ts";
import { parseBody } from "../body.ts";
import { NextCursor, Page, takePage } from "../paging.ts";
import { type App, addRoute } from "../route.ts";

const name = "The server's name in the configuration.";
const ofServer = Page.extend({
  server: z.string().optional().meta({ description: "Of this server alone." }),
});
const asItCame = z.looseObject({}).meta({ description: "As the server answered." });
const keyOf = ({ server, ...item }: ListedItem) => `${server}\n${item.name ?? item.uri ?? item.uriTemplate ?? ""}`;

/** What servers offer beside their tools. */
export function addOfferRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/prompts", tag: "Servers", scope: "read", query: ofServer },
      summary: "Prompts",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({ prompts: z.array(Listed), nextCursor: NextCursor }),
        },
      },
    },
    async ({ c, caller, query }) => {
      const { items, nextCursor } = takePage(await plane.prompts.list(query.server, caller), keyOf, query);
      return c.json({ prompts: items, nextCursor });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/servers/{name}/prompts/{prompt}", tag: "Servers", scope: "call" },
      params: { name, prompt: "The prompt's name." },
      summary: "One prompt, filled in",
      body: {
        schema: z.object({ arguments: z.record(z.string(), z.string()).optional() }),
        description: "What to fill in.",
        example: { arguments: { topic: "tools" } },
        required: false,
      },
      answers: { 200: { description: "The prompt.", schema: asItCame } },
    },
    async ({ c, caller, param }) => {
      const { arguments: args = {} } = parseBody(await c.req.text(), '{"arguments": {…}}', ["arguments"]);
      await plane.servers.get(param("name"), caller);
      return c.json(
        (await plane.prompts.get(param("name"), param("prompt"), args as Record<string, string>)) as object,
      );
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/resources", tag: "Servers", scope: "read", query: ofServer },
      summary: "Resources, and templates of more",
      description: "Templates come with the first page, all of them.",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({
            resources: z.array(Listed),
            resourceTemplates: z.array(Listed),
            nextCursor: NextCursor,
          }),
        },
      },
    },
    async ({ c, caller, query }) => {
      const [resources, templates] = await Promise.all([
        plane.resources.list(query.server, caller),
        query.cursor === undefined ? plane.resources.templates(query.server, caller) : [],
      ]);
      const { items, nextCursor } = takePage(resources, keyOf, query);
      return c.json({ resources: items, resourceTemplates: templates, nextCursor });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/servers/{name}/resource", tag: "Servers", scope: "call", params: { name } },
      summary: "The content of a resource",
      query: z.object({ uri: z.string("say which resource with ?uri=…") }),
      answers: { 200: { description: "The content.", schema: asItCame } },
    },
    async ({ c, caller, param, query }) => {
      await plane.servers.get(param("name"), caller);
      return c.json((await plane.resources.read(param("name"), query.uri)) as object);
    },
  );
}
