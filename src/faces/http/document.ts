import { version } from "../../lib/version.ts";
import type { Tag } from "./describe-route.ts";
import type { App } from "./route.ts";

const tags: Record<Tag, string> = {
  Tools: "Finding tools and calling them.",
  Servers: "The MCP servers behind the plane, and what they offer beside their tools.",
  Calls: "What was called, by whom, and how it went.",
  Agents: "Models with tools.",
  Approvals: "Calls that wait for a person's yes, and plans of changes.",
  "Dead letters": "Calls that failed for good, and what becomes of them.",
  Registry: "The catalogue as a whole, and what changed in it.",
  Jobs: "Skills and jobs that are run, and what became of them.",
  Questions: "What servers ask people in the middle of calls.",
  "Sign-in": "Tokens of the caller's own for servers.",
  Keys: "API keys of this plane.",
  Events: "What happens, as it happens.",
  Operation: "For whoever watches over the process.",
};

/** OpenAPI 3.1, from what the routes themselves say. */
export function createDocument(app: App): object {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description: "An API key (`toolplane keys create`) or a JWT of the configured issuer.",
  });
  registry.registerComponent("securitySchemes", "apiKey", {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
  });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Toolplane",
      version,
      description:
        "Every MCP server in one catalogue, every call on one path. On loopback, as long as no key and no issuer is configured, the person who started the plane is the caller; otherwise everything but `/healthz` needs a credential. Errors are `application/problem+json`; lists take `limit` and `cursor`.",
      license: { name: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "This plane" }],
    security: [{ bearer: [] }, { apiKey: [] }, {}],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  });
}
