import { Hono } from "hono";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { parseBody } from "./body.ts";

/** The servers behind the plane, and what they offer beside their tools. */
export function serverRoutes(plane: Plane): Hono {
  const routes = new Hono();
  routes.get("/servers", async (c) => c.json({ servers: await plane.servers() }));
  routes.get("/servers/:name", async (c) => c.json(await plane.server(c.req.param("name"))));
  routes.post("/servers/:name/connect", async (c) => {
    await plane.connect(c.req.param("name"));
    return c.json(await plane.server(c.req.param("name")));
  });
  routes.post("/servers/:name/disconnect", async (c) => {
    await plane.disconnect(c.req.param("name"));
    return c.json(await plane.server(c.req.param("name")));
  });
  routes.post("/servers/:name/refresh", async (c) => c.json(await plane.refresh(c.req.param("name"))));
  routes.get("/servers/:name/logs", async (c) =>
    c.json({ server: c.req.param("name"), lines: await plane.logs(c.req.param("name")) }),
  );
  routes.post("/registry/refresh", async (c) => c.json(await plane.refresh()));

  routes.get("/prompts", async (c) => c.json({ prompts: await plane.prompts(c.req.query("server")) }));
  routes.post("/servers/:name/prompts/:prompt", async (c) => {
    const { arguments: args = {} } = parseBody(await c.req.text(), '{"arguments": {…}}');
    const { name, prompt } = c.req.param();
    return c.json((await plane.prompt(name, prompt, args as Record<string, string>)) as object);
  });
  routes.get("/resources", async (c) => {
    const server = c.req.query("server");
    const [resources, resourceTemplates] = await Promise.all([
      plane.resources(server),
      plane.resourceTemplates(server),
    ]);
    return c.json({ resources, resourceTemplates });
  });
  routes.get("/servers/:name/resource", async (c) => {
    const uri = c.req.query("uri");
    if (uri === undefined) throw new PlaneError("USAGE", "Say which resource with ?uri=….");
    return c.json((await plane.resource(c.req.param("name"), uri)) as object);
  });
  return routes;
}
