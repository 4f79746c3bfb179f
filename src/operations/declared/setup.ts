import { basename } from "node:path";
import { z } from "zod";
import { secretPlaces } from "../../model/config/adding.ts";
import { DoctorReport } from "../../model/config/doctor-schema.ts";
import type { ImportReport } from "../../model/config/setup.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { AnyObject } from "../../model/json-schema.ts";
import type { Plane } from "../../model/plane.ts";
import { ServerDefinition } from "../../model/servers/server.ts";
import { ServerStatus } from "../../model/servers/server-schema.ts";
import { Done, text } from "../fields.ts";
import { type ConfigFiles, filesOnly, type OperationContext, operation } from "../operation.ts";

const name = text("The server's name in the configuration.");
const ofServer = {
  target: (input: { name: string }) => input.name,
  input: (input: object) => input,
  snapshot: (plane: Plane, input: { name: string }) => plane.config().servers[input.name] ?? null,
};

const locationFields = {
  file: z.string().meta({ description: "Its name only." }),
  line: z.number().int().nullable(),
};

export const ConfigView = z
  .object({
    ok: z.boolean(),
    files: z.array(z.string()),
    problems: z.array(
      z.looseObject({
        ...locationFields,
        severity: z.string(),
        message: z.string(),
        hint: z.string().nullish(),
      }),
    ),
    values: z.array(z.object({ key: z.string(), value: z.unknown(), ...locationFields })),
  })
  .meta({ id: "ConfigView" });

export const FoundSecrets = z.array(z.object({ server: z.string(), name: z.string() })).meta({
  description: "Secrets in clear in the other file; entries of ours refer to where they are kept.",
});

export const withoutPlaces = (secrets: ImportReport["secrets"]) =>
  secrets.map(({ server, name: secret }) => ({ server, name: secret }));

export const secretsOption = {
  about:
    "where secrets that stand in clear are kept; by default you are asked, and without a terminal it is file",
  choices: secretPlaces,
};

export const ImportView = z
  .object({
    found: z.array(z.object({ client: z.string(), servers: z.array(z.string()) })),
    imported: z.array(z.string()),
    skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
    secrets: FoundSecrets,
    holdSecrets: z
      .array(z.string())
      .meta({ description: "Servers whose entry holds a secret in clear." }),
  })
  .meta({ id: "ImportView" });

/** The configuration files: what they say, where, and changing them. */
export const setupOperations = [
  operation({
    name: "config.show",
    args: [],
    summary: "Every value of the configuration with the file and the line it comes from",
    description: "Secrets are masked. The files are named without their directories.",
    scope: "admin",
    input: z.object({}),
    output: ConfigView,
    http: {
      method: "get",
      path: "/config",
      tag: "Operation",
      answers: { 200: "What was written; not what is left at its default." },
    },
    cli: { command: "config explain" },
    socket: filesOnly,
    needsSetup: true,
    async run(_plane, _input, _asker, situation) {
      const setup = setupIn(situation);
      const { ok, files, problems } = await setup.check();
      // A configuration that cannot be read has problems and no values.
      const settings = await setup.explain("").catch(() => []);
      return {
        ok,
        files: files.map((file) => basename(file)),
        problems: problems.map((problem) => ({ ...problem, file: basename(problem.file) })),
        values: settings.map(({ key, value, origin: { file, line } }) => ({
          key,
          value,
          file: basename(file),
          line,
        })),
      };
    },
  }),
  operation({
    name: "servers.set",
    args: [],
    summary: "Write a server into the configuration, or replace the one of that name",
    description: "References like `${VAR}` are kept as they are.",
    scope: "admin",
    input: z.object({ name, definition: AnyObject }),
    output: ServerStatus,
    http: {
      method: "put",
      path: "/servers/{name}",
      tag: "Servers",
      body: {
        whole: "definition",
        schema: () =>
          z.toJSONSchema(z.object({ ...ServerDefinition.shape }).partial(), { io: "input" }),
        description: "The entry as a configuration file has it.",
        example: {
          url: "https://mcp.example.com/mcp",
          headers: { Authorization: "Bearer ${TOKEN}" },
        },
      },
      answers: { 200: "Its state now." },
    },
    cli: {
      command: "servers add",
      about: "write a server into the configuration, keeping its comments",
      arguments: { "<name>": "", "[command...]": "the command and its arguments, after --" },
      options: {
        "--url <url>": "a remote server instead of a command",
        "--openapi <file-or-url>": "an API by its OpenAPI document instead of a command",
        "--env <NAME=value>": { about: "variable for the command; repeatable", kind: "list" },
        "--header <Name=value>": { about: "header for the URL; repeatable", kind: "list" },
        "--to <file>": "the file to write; default: the last configuration file",
      },
      examples: [
        "servers add files -- npx -y @modelcontextprotocol/server-filesystem .",
        "servers add tracker --url https://example.org/mcp --header 'Authorization=Bearer ${TOKEN}'",
      ],
    },
    socket: filesOnly,
    needsSetup: true,
    audit: ofServer,
    async run(plane, { name: server, definition }, asker, situation) {
      const { command = definition.container, url, openapi } = definition;
      if ([command, url, openapi].filter((source) => source !== undefined).length !== 1)
        throw new PlaneError("USAGE", "Give one of 'url', 'command' and 'openapi'.");
      await setupIn(situation)
        .putServer(server, definition as JsonObject)
        .catch(withoutPath);
      await plane.reload(asker);
      return plane.servers.get(server, asker);
    },
  }),
  operation({
    name: "servers.remove",
    args: [],
    summary: "Remove a server from the configuration",
    scope: "admin",
    input: z.object({ name }),
    output: Done,
    http: {
      method: "delete",
      path: "/servers/{name}",
      tag: "Servers",
      answers: { 200: "It is gone." },
    },
    cli: {
      command: "servers remove",
      about: "remove a server from the configuration",
      arguments: { "<name>": "" },
      options: { "--to <file>": "the file to change; default: the one that defines it" },
      examples: ["servers remove files"],
    },
    socket: filesOnly,
    needsSetup: true,
    audit: ofServer,
    async run(plane, { name: server }, asker, situation) {
      await plane.servers.get(server, asker);
      await setupIn(situation).removeServer(server).catch(withoutPath);
      await plane.reload(asker);
      return { ok: true };
    },
  }),
  operation({
    name: "servers.restore",
    args: [],
    summary: "Undo the removal of a server",
    description:
      "As it stood in its file, secrets included. The plane that removed it can, until it ends.",
    scope: "admin",
    input: z.object({ name }),
    output: ServerStatus,
    http: {
      method: "post",
      path: "/servers/{name}/restore",
      tag: "Servers",
      answers: { 200: "Its state now." },
    },
    cli: { missing: "a command ends with what it removed" },
    socket: filesOnly,
    needsSetup: true,
    audit: ofServer,
    async run(plane, { name: server }, asker, situation) {
      await setupIn(situation).undoRemoval("servers", server).catch(withoutPath);
      await plane.reload(asker);
      return plane.servers.get(server, asker);
    },
  }),
  operation({
    name: "servers.import",
    args: [],
    summary: "Import the servers of other MCP clients on this machine",
    description: "With `dryRun` nothing is written.",
    scope: "admin",
    input: z.object({
      clients: z
        .array(z.string())
        .optional()
        .meta({ description: "All known clients when left out." }),
      dryRun: z.boolean().optional(),
    }),
    output: ImportView,
    http: {
      method: "post",
      path: "/servers/import",
      tag: "Servers",
      body: { description: "Which clients.", example: { dryRun: true }, optional: true },
      answers: { 200: "What was found and taken over." },
    },
    cli: {
      command: "import",
      about:
        "import the servers of other MCP clients, or those in a file of mcporter, mcp-hub, MetaMCP, LiteLLM or Docker",
      arguments: {
        "[client...]":
          "clients, files, or a command line of supergateway; all clients if none is named",
      },
      options: {
        "--dry-run": "show what would be imported",
        "--to <file>": "the file to write; default: toolplane.json",
        "--secrets <where>": secretsOption,
      },
      examples: ["import --dry-run", "import cursor vscode", "import config/mcporter.json"],
    },
    socket: filesOnly,
    needsSetup: true,
    audit: {
      target: () => null,
      input: (input) => input,
      isTrial: ({ dryRun }) => dryRun === true,
    },
    async run(plane, { clients = [], dryRun = false }, asker, situation) {
      const setup = setupIn(situation);
      // Into the file that this plane reads, which need not be the usual one.
      const file = (await setup.check()).files.at(-1);
      const report = await setup
        .importClients(clients, { dryRun, ...(file !== undefined && { file }) })
        .catch(withoutFile);
      const { found, imported, skipped, secrets, holdSecrets } = report;
      if (!dryRun && imported.length > 0) await plane.reload(asker);
      const clientServers = found.map(({ client, servers }) => ({ client, servers }));
      return {
        found: clientServers,
        imported,
        skipped,
        secrets: withoutPlaces(secrets),
        holdSecrets,
      };
    },
  }),
  operation({
    name: "doctor",
    args: ["server"],
    summary: "Diagnose a server, or all of them, with the first thing to try",
    description: "Really starts and asks them, which takes as long as it takes.",
    scope: "admin",
    input: z.object({ server: z.string().optional() }),
    output: DoctorReport,
    http: { method: "get", path: "/doctor", tag: "Servers", answers: { 200: "Check by check." } },
    cli: {
      command: "doctor",
      about: "diagnose a server, or all of them, and say what to try first",
      arguments: { "[server]": "" },
      examples: ["doctor", "doctor filesystem --json"],
    },
    isAnonymous: true,
  }),
  operation({
    name: "readiness",
    args: [],
    summary: "Is the plane ready to take requests?",
    scope: null,
    input: z.object({}),
    output: z.object({ ready: z.boolean() }),
    http: { method: "get", path: "/readyz", tag: "Operation", answers: { 200: "It does." } },
    cli: { missing: "a command that answers is ready" },
    isAnonymous: true,
  }),
];

export function setupIn({ setup }: OperationContext): ConfigFiles {
  if (setup) return setup;
  throw new PlaneError(
    "USAGE",
    "This plane has no configuration file. Start it with '--config FILE'.",
  );
}

/** Answers do not name the paths of files; what is wrong with the request itself names none. */
export function withoutPath(thrown: unknown): never {
  if (!(thrown instanceof PlaneError) || thrown.code === "USAGE" || thrown.code === "CONFLICT")
    throw thrown;
  const { file, ...data } = thrown.data;
  if (thrown.code === "NOT_FOUND" && file === undefined) throw thrown;
  const what =
    thrown.code === "NOT_FOUND"
      ? "No file of the configuration has that entry"
      : "The configuration could not be changed";
  throw new PlaneError(
    thrown.code,
    `${what}. Use 'toolplane config validate' on the machine to see why.`,
    { data },
  );
}

function withoutFile(thrown: unknown): never {
  if (!(thrown instanceof PlaneError) || thrown.code === "USAGE") throw thrown;
  const why =
    "The servers could not be imported. Use 'toolplane import' on the machine to see why.";
  throw new PlaneError(thrown.code, why);
}
