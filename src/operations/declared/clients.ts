import { basename } from "node:path";
import { z } from "zod";
import type {
  ClientConnection,
  ClientDisconnection,
  ClientStatus,
} from "../../model/config/setup.ts";
import { AnyObject } from "../../model/json-schema.ts";
import { text } from "../fields.ts";
import { filesOnly, operation } from "../operation.ts";
import { FoundSecrets, secretsOption, setupIn, withoutPath, withoutPlaces } from "./setup.ts";

const tag = "Servers";
const client = text("The client's name, as the list has it: `claude-code`, `cursor` …");
const name = text("The server's name in the configuration.");

const Client = z.object({
  client: z.string(),
  title: z.string(),
  isInstalled: z.boolean(),
  isConnected: z.boolean().meta({ description: "Toolplane is its server." }),
  servers: z.array(z.string()).meta({ description: "Servers that it starts itself." }),
});

const Connection = z
  .object({
    client: z.string(),
    title: z.string(),
    file: z.string().meta({ description: "Its name only: the client's file." }),
    isChanged: z.boolean(),
    moved: z
      .array(z.string())
      .meta({ description: "Servers that went into the configuration of the plane." }),
    kept: z.array(z.string()).meta({ description: "Servers that the client still starts itself." }),
    secrets: FoundSecrets,
  })
  .meta({ id: "ClientConnection" });

const Tried = z.object({
  name: z.string(),
  isWritten: z.boolean(),
  tools: z.number().int().nullable(),
  needsSignIn: z.boolean(),
  problem: z.string().nullable().meta({ description: "Why it did not answer." }),
});

const trial = { tools: null, needsSignIn: false, problem: null };

/** Clients of this machine, and entries of servers as people edit them. */
export const clientOperations = [
  operation({
    name: "clients.list",
    args: [],
    summary: "MCP clients on this machine, and which of them use Toolplane",
    scope: "admin",
    input: z.object({}),
    output: z.object({ clients: z.array(Client) }),
    http: { method: "get", path: "/clients", tag, answers: { 200: "All that are known." } },
    cli: {
      command: "connect",
      about:
        "move a client's servers into Toolplane and make Toolplane the client's server; keeps a backup",
      arguments: { "[client]": "without one, lists the clients" },
      options: {
        "--keep": "leave the client's servers where they are",
        "--project": "write the client's file of this project",
        "--global": "write the client's file for all projects",
        "--dry-run": "show what would be changed",
        "--to <file>": "the configuration that takes the servers",
        "--secrets <where>": secretsOption,
        "--yes": "ask nothing; without a terminal nothing is asked anyway",
      },
      examples: ["connect", "connect cursor --dry-run", "connect claude-code --project"],
    },
    socket: filesOnly,
    needsSetup: true,
    async run(_plane, _input, _asker, situation) {
      const shown = ({ client: id, title, isInstalled, connected, files }: ClientStatus) => ({
        client: id,
        title,
        isInstalled,
        isConnected: connected.length > 0,
        servers: files.flatMap(({ servers }) => servers),
      });
      return { clients: (await setupIn(situation).clients()).map(shown) };
    },
  }),
  operation({
    name: "clients.connect",
    args: [],
    summary: "Make Toolplane the server of a client; a backup of its file is kept",
    description:
      "Its servers move into the configuration of the plane, unless `keep` is true. Secrets in clear go into files that only their owner can read.",
    scope: "admin",
    input: z.object({ client, keep: z.boolean().optional(), dryRun: z.boolean().optional() }),
    output: Connection,
    http: {
      method: "post",
      path: "/clients/{client}/connect",
      tag,
      body: { description: "How.", example: { keep: true }, optional: true },
      answers: { 200: "What was changed." },
    },
    cli: { command: "connect" },
    socket: filesOnly,
    needsSetup: true,
    audit: {
      target: (input) => input.client,
      input: (input) => input,
      isTrial: ({ dryRun }) => dryRun === true,
    },
    async run(plane, { client: asked, keep = false, dryRun = false }, asker, situation) {
      const done = await setupIn(situation)
        .connectClient(asked, { keep, dryRun })
        .catch(withoutPath);
      if (!dryRun && done.moved.length > 0) await plane.reload(asker);
      return connectionView(done);
    },
  }),
  operation({
    name: "clients.disconnect",
    args: [],
    summary: "Give a client its servers back and remove Toolplane",
    scope: "admin",
    input: z.object({ client }),
    output: Connection,
    http: {
      method: "post",
      path: "/clients/{client}/disconnect",
      tag,
      answers: { 200: "What was changed." },
    },
    cli: {
      command: "disconnect",
      about: "give a client its servers back and remove Toolplane; your later changes stay",
      arguments: { "<client>": "" },
      options: {
        "--remove": "remove the moved servers from Toolplane's configuration, too",
        "--project": "the client's file of this project",
        "--global": "the client's file for all projects",
      },
      examples: ["disconnect claude-code", "disconnect cursor --remove"],
    },
    socket: filesOnly,
    needsSetup: true,
    audit: { target: (input) => input.client, input: (input) => input },
    async run(_plane, { client: asked }, _asker, situation) {
      const done: ClientDisconnection = await setupIn(situation)
        .disconnectClient(asked)
        .catch(withoutPath);
      const { client: id, title, path, returned } = done;
      return {
        client: id,
        title,
        file: basename(path),
        isChanged: true,
        moved: [],
        kept: returned,
        secrets: [],
      };
    },
  }),
  operation({
    name: "servers.entry",
    args: [],
    summary: "The entry of a server as written, secrets masked",
    scope: "admin",
    input: z.object({ name }),
    output: z.object({ name: z.string(), entry: AnyObject }),
    http: { method: "get", path: "/servers/{name}/entry", tag, answers: { 200: "The entry." } },
    cli: { command: "config explain" },
    socket: filesOnly,
    needsSetup: true,
    run: async (_plane, { name: server }, _asker, situation) => ({
      name: server,
      entry: await setupIn(situation).shownServer(server),
    }),
  }),
  operation({
    name: "servers.save",
    args: [],
    summary: "Change the entry of a server, copy it, or try a change first",
    description:
      "What is masked in `entry` keeps its value; with `from` the values of that server. `dryRun` starts or reaches it once and writes nothing.",
    scope: "admin",
    input: z.object({
      name,
      entry: AnyObject,
      from: z.string().optional().meta({ description: "The server that it is a copy of." }),
      dryRun: z.boolean().optional(),
    }),
    output: Tried.meta({ id: "SavedServer" }),
    http: {
      method: "post",
      path: "/servers/{name}/entry",
      tag,
      body: {
        description: "The whole entry.",
        example: { entry: { url: "https://mcp.example.com/mcp" }, dryRun: true },
      },
      answers: { 200: "The result." },
    },
    cli: {
      command: "servers edit",
      about: "change a server where it is written",
      arguments: {
        "<name>": "",
        "<changes...>": "key=value, key:=json, key= to remove it; env.NAME=value sets a nested one",
      },
      examples: [
        "servers edit files timeoutMs=5000 env.LEVEL=debug",
        'servers edit files \'args:=["-y","x"]\' cwd=',
      ],
    },
    socket: filesOnly,
    needsSetup: true,
    audit: {
      target: (input) => input.name,
      isTrial: (input) => input.dryRun === true,
      // An entry may hold a secret anywhere.
      input: ({ from }) => (from === undefined ? {} : { from }),
      snapshot: (plane, input) => plane.config().servers[input.name] ?? null,
    },
    async run(plane, { name: server, entry, from, dryRun = false }, asker, situation) {
      const how = { isTrial: dryRun, ...(from === undefined ? {} : { from }) };
      const tried = await setupIn(situation)
        .saveServer(server, entry as never, how)
        .catch(withoutPath);
      if (!dryRun) await plane.reload(asker);
      return { name: server, isWritten: !dryRun, ...(tried ?? trial) };
    },
  }),
];

function connectionView({
  client: id,
  title,
  path,
  isChanged,
  moved,
  kept,
  secrets,
}: ClientConnection) {
  return {
    client: id,
    title,
    file: basename(path),
    isChanged,
    moved: moved.map(({ as }) => as),
    kept: kept.map((server) => server.name),
    secrets: withoutPlaces(secrets),
  };
}
