import { z } from "zod";
import type { Setup } from "../../../model/config/setup.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { ServerDefinition } from "../../../model/servers/server.ts";
import { Done } from "../../../operations/fields.ts";
import { Server } from "../../../operations/schemas/server.ts";
import { parseBody } from "../body.ts";
import { requireProof } from "../require-proof.ts";
import { type App, addRoute } from "../route.ts";

export type ServerEditor = Pick<Setup, "putServer" | "removeServer">;

const params = { name: "The server's name in the configuration." };

/** Servers that are written into the configuration file, and taken out of it. */
export function addConfigurationRoutes(app: App, plane: Plane, setup: ServerEditor): void {
  addRoute(
    app,
    {
      ...{ method: "put", path: "/servers/{name}", tag: "Servers", scope: "admin", params },
      summary: "Write a server into the configuration, or replace the one of that name",
      description:
        "Takes a caller who proves who they are, because an entry names a program that is started: with a credential, or as the person who started the plane. References like `${VAR}` are kept as they are.",
      body: {
        schema: z.toJSONSchema(z.object({ ...ServerDefinition.shape }).partial(), { io: "input" }),
        description: "The entry as a configuration file has it.",
        example: { url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer ${TOKEN}" } },
      },
      answers: { 200: { description: "Its state now.", schema: Server } },
    },
    async ({ c, caller, param }) => {
      await requireProof(plane, c, "Servers can be changed", "toolplane servers add|remove");
      const definition = parseBody(await c.req.text(), '{"url": "https://…"}') as JsonObject;
      if ((definition.command === undefined) === (definition.url === undefined)) {
        throw new PlaneError("USAGE", "Give either 'url' or 'command'.");
      }
      await setup.putServer(param("name"), definition).catch(withoutPath);
      await plane.reload();
      return c.json(await plane.servers.get(param("name"), caller));
    },
  );
  addRoute(
    app,
    {
      ...{ method: "delete", path: "/servers/{name}", tag: "Servers", scope: "admin", params },
      summary: "Take a server out of the configuration",
      description: "Takes a caller who proves who they are.",
      answers: { 200: { description: "It is gone.", schema: Done } },
    },
    async ({ c, caller, param }) => {
      await requireProof(plane, c, "Servers can be changed", "toolplane servers add|remove");
      await plane.servers.get(param("name"), caller);
      await setup.removeServer(param("name")).catch(withoutPath);
      await plane.reload();
      return c.json({ ok: true });
    },
  );
}

/** Answers do not name the paths of files. */
function withoutPath(thrown: unknown): never {
  // What is wrong with the request itself names no file.
  if (!(thrown instanceof PlaneError) || thrown.code === "USAGE") throw thrown;
  const { file: _file, ...data } = thrown.data;
  const what =
    thrown.code === "NOT_FOUND"
      ? "No file of the configuration has that server"
      : "The configuration could not be changed";
  throw new PlaneError(thrown.code, `${what}. Use 'toolplane config validate' on the machine to see why.`, {
    data,
  });
}
