import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import type { NewApiKey } from "../../../model/access/credentials.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { parseFields } from "../body.ts";
import { NextCursor, Page, takePage } from "../paging.ts";
import { type App, addRoute } from "../route.ts";

const names = z.array(z.string());

const Key = z
  .object({
    id: z.string(),
    name: z.string(),
    user: z.string(),
    groups: names,
    persona: z.string().nullable(),
    scopes: names,
    workspace: z.string().nullable(),
    compliance: z.string().optional(),
    toolGroups: names.optional(),
    createdAt: z.string(),
    expiresAt: z.string().nullable(),
    lastUsedAt: z.string().nullable(),
    revokedAt: z.string().nullable(),
  })
  .meta({ id: "Key" });

const NewKey = z.object({
  name: z.string(),
  user: z.string().optional().meta({ description: "Who shows it is this user; who creates it when left out." }),
  groups: names.optional(),
  persona: z.string().nullable().optional(),
  scopes: names.optional().meta({ description: "`read`, `call` or `admin`; `call` when left out." }),
  workspace: z.string().nullable().optional(),
  compliance: z.string().optional(),
  toolGroups: names
    .optional()
    .meta({ description: "The groups of tools it may ask for; `default` when left out, `*` for all." }),
  expiresAt: z.string().nullable().optional(),
});

/** The keys of this plane. */
export function addKeyRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/keys", tag: "Keys", scope: "admin", query: Page },
      summary: "The API keys, without their secrets",
      answers: {
        200: { description: "One page.", schema: z.object({ keys: z.array(Key), nextCursor: NextCursor }) },
      },
    },
    async ({ c, caller, query }) => {
      const keyOf = ({ createdAt, id }: { createdAt: string; id: string }) => `${createdAt} ${id}`;
      const { items, nextCursor } = takePage(await plane.keys.list(caller), keyOf, query);
      return c.json({ keys: items, nextCursor });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/keys", tag: "Keys", scope: "admin" },
      summary: "Create an API key",
      description:
        "The first key is created on the machine, with `toolplane keys create`; from then on everything but `/healthz` needs a credential.",
      body: {
        schema: NewKey,
        description: "Whose it is and what it may do.",
        example: { name: "nightly report", user: "ann@example.org", scopes: ["call"] },
      },
      answers: {
        201: {
          description: "The secret is told this once.",
          schema: z.object({ key: Key, secret: z.string() }),
        },
      },
    },
    async ({ c, caller }) => {
      // Whoever could give themselves a key would have proved nothing by showing it.
      if (!(await plane.identity.needsCredentials()))
        throw new PlaneError(
          "FORBIDDEN",
          "Keys can be created over HTTP only where callers have to prove who they are. Create the first one with 'toolplane keys create'.",
        );
      const asked = parseFields(await c.req.text(), NewKey, '{"name": "…"}');
      return c.json(await plane.keys.create(withoutUndefined(asked) as NewApiKey, caller), 201);
    },
  );
  addRoute(
    app,
    {
      ...{
        method: "delete",
        path: "/keys/{id}",
        tag: "Keys",
        scope: "admin",
        params: { id: "The key's id." },
      },
      summary: "Revoke a key",
      answers: {
        200: {
          description: "`revoked` is false when it could not be used any more.",
          schema: z.object({ id: z.string(), revoked: z.boolean() }),
        },
      },
    },
    async ({ c, caller, param }) => c.json({ id: param("id"), revoked: await plane.keys.revoke(param("id"), caller) }),
  );
}
