import { basename } from "node:path";
import { z } from "zod";
import type { Setup } from "../../../model/config/setup.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { parseFields } from "../body.ts";
import { requireProof } from "../require-proof.ts";
import { type App, addRoute } from "../route.ts";

export type SetupReader = Pick<Setup, "check" | "explain" | "importClients">;

const place = {
  file: z.string().meta({ description: "Its name only." }),
  line: z.number().int().nullable(),
};

export const ConfigView = z
  .object({
    ok: z.boolean(),
    files: z.array(z.string()),
    problems: z.array(
      z.looseObject({ ...place, severity: z.string(), message: z.string(), hint: z.string().nullish() }),
    ),
    values: z.array(z.object({ key: z.string(), value: z.unknown(), ...place })),
  })
  .meta({ id: "ConfigView" });

export const ImportView = z
  .object({
    found: z.array(z.object({ client: z.string(), servers: z.array(z.string()) })),
    imported: z.array(z.string()),
    skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
    holdSecrets: z.array(z.string()).meta({ description: "Servers whose entry holds a secret in clear." }),
  })
  .meta({ id: "ImportView" });

const ImportBody = z.object({
  clients: z.array(z.string()).optional().meta({ description: "All that are known when left out." }),
  dryRun: z.boolean().optional(),
});

/** The configuration: what it says, where, and taking over what other clients have. */
export function addSetupRoutes(app: App, plane: Plane, setup: SetupReader): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/config", tag: "Operation", scope: "admin" },
      summary: "Every value of the configuration with the file and the line it comes from",
      description: "Secrets are masked. The files are named without their directories.",
      answers: {
        200: { description: "What was written; not what is left at its default.", schema: ConfigView },
      },
    },
    async ({ c }) => {
      const { ok, files, problems } = await setup.check();
      // A configuration that cannot be read has problems and no values.
      const values = await setup.explain("").catch(() => []);
      return c.json({
        ...{ ok, files: files.map(nameOf) },
        problems: problems.map((problem) => ({ ...problem, file: nameOf(problem.file) })),
        values: values.map(({ key, value, origin }) => ({
          ...{ key, value, file: nameOf(origin.file), line: origin.line },
        })),
      });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/servers/import", tag: "Servers", scope: "admin" },
      summary: "Take over the servers that other MCP clients of this machine have",
      description: "With `dryRun` nothing is written. Otherwise it takes a caller who proves who they are.",
      body: { schema: ImportBody, description: "Which clients.", example: { dryRun: true }, required: false },
      answers: { 200: { description: "What was found and taken over.", schema: ImportView } },
    },
    async ({ c }) => {
      const body = parseFields(await c.req.text(), ImportBody, '{"clients": ["cursor"], "dryRun": true}');
      const { clients = [], dryRun = false } = body;
      if (!dryRun) await requireProof(plane, c, "Servers can be imported", "toolplane import");
      // Into the file that this plane reads, which need not be the usual one.
      const file = (await setup.check()).files.at(-1);
      const into = { dryRun, ...(file === undefined ? {} : { file }) };
      const report = await setup.importClients(clients, into).catch(withoutFile);
      if (!dryRun && report.imported.length > 0) await plane.reload();
      const { found, imported, skipped, holdSecrets } = report;
      const shown = found.map(({ client, servers }) => ({ client, servers }));
      return c.json({ found: shown, imported, skipped, holdSecrets });
    },
  );
}

const Doctor = z
  .object({
    servers: z.array(
      z.object({
        name: z.string(),
        ok: z.boolean(),
        checks: z.array(
          z.object({ name: z.string(), ok: z.boolean(), detail: z.string(), fix: z.string().nullable() }),
        ),
      }),
    ),
  })
  .meta({ id: "DoctorReport" });

export function addDoctorRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/doctor", tag: "Servers", scope: "admin" },
      summary: "What is wrong with a server, or with all of them, and the first thing to try",
      description: "Really starts and asks them, which takes as long as it takes.",
      query: z.object({ server: z.string().optional() }),
      answers: { 200: { description: "Check by check.", schema: Doctor } },
    },
    async ({ c, query: { server } }) => c.json(await plane.doctor(server)),
  );
}

function nameOf(file: string): string {
  return basename(file);
}

/** Answers do not name the paths of files. */
function withoutFile(thrown: unknown): never {
  if (!(thrown instanceof PlaneError) || thrown.code === "USAGE") throw thrown;
  throw new PlaneError(
    thrown.code,
    "The servers could not be imported. Use 'toolplane import' on the machine to see why.",
  );
}
