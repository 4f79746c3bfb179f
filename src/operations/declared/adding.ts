import { basename } from "node:path";
import { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { type AddedOne, secretPlaces } from "../../model/config/adding.ts";
import { PlaneError } from "../../model/errors.ts";
import { AnyObject } from "../../model/json-schema.ts";
import { count, text } from "../fields.ts";
import { filesOnly, operation } from "../operation.ts";
import { setupIn, withoutPath } from "./setup.ts";

const Added = z.object({
  name: z.string(),
  kind: z.string().meta({ description: "What it was taken for." }),
  entry: AnyObject,
  file: z.string().meta({ description: "Its name only: where the entry stands, or would stand." }),
  isWritten: z.boolean(),
  tools: z.number().int().nullable().meta({ description: "Null where it was not tried." }),
  form: AnyObject.nullable().meta({
    description: "What can be said about it, as JSON Schema; `values` answers it.",
  }),
  missing: z
    .array(z.string())
    .meta({ description: "Fields of the form that must be filled in first." }),
  variables: z
    .array(z.object({ name: z.string(), description: z.string().nullable(), isSet: z.boolean() }))
    .meta({ description: "Variables of the plane that the entry refers to." }),
  needsSignIn: z.boolean(),
  problem: z.string().nullable().meta({ description: "Why it did not answer." }),
  notes: z.array(z.string()),
  ways: z.array(z.object({ via: z.string(), what: z.string(), unusable: z.string().nullable() })),
});

const Found = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  version: z.string(),
  packages: z.array(
    z.object({ kind: z.string(), identifier: z.string(), version: z.string().nullable() }),
  ),
  remotes: z.array(z.object({ type: z.string(), url: z.string() })),
});

const Update = z.object({
  name: z.string(),
  source: z.string(),
  version: z.string(),
  latest: z.string(),
  isNewer: z.boolean(),
  changes: z.array(
    z.object({ key: z.string(), from: z.string().nullable(), to: z.string().nullable() }),
  ),
  needs: z
    .array(z.string())
    .meta({ description: "What the newer version wants and the entry does not give." }),
  isWritten: z.boolean(),
  notes: z.array(z.string()),
});

const values = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** Servers from whatever names one, and from registries. */
export const addingOperations = [
  operation({
    name: "servers.add",
    args: [],
    summary: "Add a server from a command, package, image, URL, file, registry name or pasted JSON",
    description:
      "It is tried before it is written; `force` writes it all the same, `dryRun` only says what it was taken for. Secrets become references.",
    scope: "admin",
    input: z.object({
      what: z
        .string()
        .min(1)
        .max(1_000_000)
        .meta({ description: "What a person has in the clipboard." }),
      name: z.string().optional().meta({ description: "Made from what is added when left out." }),
      scope: z
        .enum(["user", "project"])
        .optional()
        .meta({ description: "Which of the files takes it." }),
      dryRun: z.boolean().optional(),
      force: z.boolean().optional(),
      values: values
        .optional()
        .meta({ description: "Answers to the form; secrets are used for the trial alone." }),
      env: z.record(z.string(), z.string()).optional(),
      headers: z.record(z.string(), z.string()).optional(),
      via: z
        .string()
        .optional()
        .meta({ description: "Of a registry's server: npm, pypi, oci, mcpb, nuget or remote." }),
    }),
    output: Added.extend({ more: z.array(Added) }).meta({ id: "AddedServer" }),
    http: {
      method: "post",
      path: "/servers/add",
      tag: "Servers",
      body: {
        description: "What to add.",
        example: { what: "npx -y @modelcontextprotocol/server-everything", dryRun: true },
      },
      answers: { 200: "What it was taken for, and the result." },
      show: ({ more, ...added }: AddedOne & { more: AddedOne[] }) => ({
        ...withoutDirectory(added),
        more: more.map(withoutDirectory),
      }),
    },
    cli: {
      command: "add",
      about: "add a server by command, URL, package, image or pasted JSON; it is tried first",
      arguments: {
        "<what...>":
          "a command line, a package, docker:IMAGE, a URL, an OpenAPI or .mcpb file, io.github.owner/server, or pasted JSON",
      },
      options: {
        "--name <name>": "its name; made from what is added when left out",
        "--global": "write your own configuration file; same as --user",
        "--project": "write this project's file",
        "--dry-run": "show what would be written; start and write nothing",
        "--force": "write it even if it does not answer",
        "--env <NAME=value>": {
          about: "variable for it; repeatable. Of a secret, a reference is written",
          kind: "list",
        },
        "--header <Name=value>": { about: "header for a URL; repeatable", kind: "list" },
        "--secrets <where>": {
          about:
            "where pasted secrets are kept; by default you are asked, and without a terminal it is file",
          choices: secretPlaces,
        },
        "--set <key=value>": {
          about: "answer to a question of the server; repeatable",
          kind: "list",
        },
        "--via <kind>": {
          about: "which package or remote of a registry entry to use",
          choices: ["npm", "pypi", "oci", "mcpb", "nuget", "remote"],
        },
      },
      examples: [
        "add npx -y @modelcontextprotocol/server-filesystem .",
        "add https://example.org/mcp --name tracker",
        "add petstore.yaml",
        "add io.github.owner/server --dry-run",
        "add docker:example/server:1.2",
      ],
    },
    socket: filesOnly,
    needsSetup: true,
    audit: {
      target: ({ name }) => name,
      isTrial: ({ dryRun }) => dryRun === true,
      // What was pasted may hold a secret anywhere.
      input: ({ scope, force, via }) => withoutUndefined({ scope, force, via }),
      snapshot: (plane) => plane.config().servers,
    },
    async run(plane, { what, ...options }, asker, situation) {
      const added = await setupIn(situation)
        .addServers([what], withoutUndefined(options))
        .catch(withoutFile);
      if ([added, ...added.more].some(({ isWritten }) => isWritten)) await plane.reload(asker);
      return added;
    },
  }),
  operation({
    name: "servers.search",
    args: [],
    summary: "Search the MCP registries",
    description:
      "What was seen before is searched where a registry cannot be asked; `problems` says so.",
    scope: "admin",
    input: z.object({
      query: text("A part of the name."),
      limit: count(100, { default: 30 }),
    }),
    output: z
      .object({ servers: z.array(Found), problems: z.array(z.string()) })
      .meta({ id: "RegistrySearch" }),
    http: {
      method: "get",
      path: "/registries/servers",
      tag: "Servers",
      answers: { 200: "The newest version of each." },
    },
    cli: {
      command: "servers search",
      about: "search the MCP registries",
      arguments: { "<query>": "a part of the name" },
      options: {
        "--limit <number>": { about: "maximum number of servers, 1 to 100", kind: "limit" },
      },
      examples: ["servers search github", "servers search files --json"],
    },
    socket: filesOnly,
    needsSetup: true,
    run: async (_plane, { query, limit }, _asker, situation) =>
      setupIn(situation).searchServers(query, limit === undefined ? {} : { limit }),
  }),
  operation({
    name: "servers.update",
    args: [],
    summary: "Newer versions in the registries, and what would change",
    scope: "admin",
    input: z.object({
      name: z
        .string()
        .optional()
        .meta({ description: "All that were added from a registry when left out." }),
      apply: z.boolean().optional().meta({ description: "Write the newer versions." }),
    }),
    output: z.object({ updates: z.array(Update) }).meta({ id: "ServerUpdates" }),
    http: {
      method: "post",
      path: "/registries/updates",
      tag: "Servers",
      body: { description: "Which server.", example: { name: "files" }, optional: true },
      answers: { 200: "One row for each." },
    },
    cli: {
      command: "servers update",
      about: "newer versions in the registries, and what would change",
      arguments: { "[name]": "" },
      options: { "--yes": "write the newer versions" },
      examples: ["servers update", "servers update files --yes"],
    },
    socket: filesOnly,
    needsSetup: true,
    audit: {
      target: ({ name }) => name,
      input: (input) => input,
      isTrial: ({ apply }) => apply !== true,
    },
    async run(plane, { name, apply = false }, asker, situation) {
      const updates = await setupIn(situation).updateServers(name, { apply }).catch(withoutPath);
      if (updates.some(({ isWritten }) => isWritten)) await plane.reload(asker);
      return { updates };
    },
  }),
];

/** Why a server does not answer is said; what is wrong with a file is for the machine it is on. */
function withoutFile(thrown: unknown): never {
  if (thrown instanceof PlaneError && thrown.code === "CONFIG_INVALID") return withoutPath(thrown);
  throw thrown;
}

const withoutDirectory = (added: AddedOne): AddedOne => ({ ...added, file: basename(added.file) });
