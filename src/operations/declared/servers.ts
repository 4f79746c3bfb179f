import { basename } from "node:path";
import { z } from "zod";
import {
  Locked,
  RecordedMessages,
  RefreshReport,
  ServerLogLine,
  ServerStatus,
} from "../../model/servers/server-schema.ts";
import {
  defaultPage,
  flag,
  Limit,
  NextCursor,
  page,
  pageAfterCursor,
  text,
  wholeNumber,
} from "../fields.ts";
import { type Audit, operation, pick } from "../operation.ts";

const tag = "Servers";
const name = text("The server's name in the configuration.");
const verbs = {
  connect: "Connect a server and keep it connected",
  disconnect: "End a server's sessions; it stays disconnected until you connect it",
} as const;

/** The state of one server, before and after. */
export const switched: Audit<{ name?: string }> = {
  snapshot: async (plane, { name: server }, caller) =>
    server === undefined ? null : pick(await plane.servers.get(server, caller), "state", "error"),
};

/** The MCP servers behind the plane. A caller sees those it may use. */
export const serverOperations = [
  operation({
    name: "servers.list",
    args: [],
    summary: "The servers the caller may use, by name",
    scope: "read",
    input: z.object(page),
    output: z.object({
      servers: z.array(ServerStatus),
      total: z.number().int(),
      nextCursor: NextCursor,
      files: z
        .array(z.string())
        .meta({ description: "The configuration files, without their directories." }),
      locked: z
        .array(Locked)
        .optional()
        .meta({ description: "Those that the caller may know of but not use." }),
    }),
    http: { method: "get", path: "/servers", tag, answers: { 200: "One page." } },
    cli: {
      command: "servers list",
      about: "state, tools and last error of every server",
      examples: ["servers list", "servers list --json"],
    },
    async run(plane, query, asker) {
      const page = pageAfterCursor(await plane.servers.list(asker), (server) => server.name, query);
      const locked = query.cursor === undefined ? await plane.servers.locked(asker) : [];
      const { items: servers, total, nextCursor } = page;
      const files = plane.config().files.map((file) => basename(file));
      return { servers, total, nextCursor, files, ...(locked.length === 0 ? {} : { locked }) };
    },
  }),
  operation({
    name: "servers.get",
    args: ["name"],
    summary: "One server",
    scope: "read",
    input: z.object({ name }),
    output: ServerStatus,
    http: { method: "get", path: "/servers/{name}", tag, answers: { 200: "Its state." } },
    cli: {
      command: "servers show",
      about: "one server: state, protocol, process, what it lists and what is wrong",
      arguments: { "<name>": "" },
      examples: ["servers show demo"],
    },
  }),
  ...(["connect", "disconnect"] as const).map((verb) =>
    operation({
      name: `servers.${verb}`,
      args: ["name"],
      summary: verbs[verb],
      scope: "admin",
      input: z.object({ name }),
      output: ServerStatus,
      http: {
        method: "post",
        path: `/servers/{name}/${verb}`,
        tag,
        answers: { 200: "Its state afterwards." },
      },
      audit: switched,
      cli: {
        command: `servers ${verb}`,
        about:
          verb === "connect"
            ? "connect a server and keep it connected"
            : "end a server's sessions; it stays disconnected until you connect it",
        arguments: { "<name>": "" },
        examples: [`servers ${verb} demo`],
      },
      async run(plane, { name: server }, asker) {
        await plane.servers[verb](server, asker);
        return plane.servers.get(server, asker);
      },
    }),
  ),
  operation({
    name: "servers.restart",
    args: ["name"],
    summary: "End a server and start it again",
    description: "Calls that come meanwhile go to the new process.",
    scope: "admin",
    input: z.object({ name }),
    output: z.object({ servers: z.array(ServerStatus) }),
    http: {
      method: "post",
      path: "/servers/{name}/restart",
      tag,
      answers: { 200: "Its state afterwards." },
    },
    audit: switched,
    cli: {
      command: "servers restart",
      about:
        "end a server, or all that run, and start it again; calls that come meanwhile go to the new process",
      arguments: { "[name]": "" },
      examples: ["servers restart demo", "servers restart --json"],
    },
    run: async (plane, { name: server }, asker) => ({
      servers: await plane.servers.restart(server, asker),
    }),
  }),
  operation({
    name: "servers.refresh",
    args: ["name"],
    summary: "List a server's tools again",
    scope: "admin",
    input: z.object({ name }),
    output: RefreshReport,
    http: { method: "post", path: "/servers/{name}/refresh", tag, answers: { 200: "The result." } },
    audit: switched,
    cli: { command: "servers refresh" },
  }),
  operation({
    name: "servers.logs",
    args: ["name"],
    summary: "The latest lines that a server wrote to standard error or logged",
    description:
      "With `Accept: text/event-stream` they are followed: `kept` has what there is, `added` what comes, each a list of lines.",
    scope: "admin",
    input: z.object({ name }),
    output: z.object({ server: z.string(), lines: z.array(ServerLogLine) }),
    http: {
      method: "get",
      path: "/servers/{name}/logs",
      tag,
      answers: { 200: "Oldest first." },
      also: ["text/event-stream"],
    },
    cli: {
      command: "servers logs",
      about: "the latest lines that a server wrote to standard error or logged",
      arguments: { "<name>": "" },
      examples: ["servers logs demo"],
    },
    run: async (plane, { name: server }, asker) => ({
      server,
      lines: await plane.servers.logs(server, asker),
    }),
  }),
  operation({
    name: "servers.record",
    args: ["name"],
    summary: "Record the JSON-RPC messages of a server, or stop recording",
    description:
      "They are kept in memory, the last 1000 and at most 4 MiB. Recording ends by itself when they are not read for 5 minutes, or when the server is changed.",
    example: 'await plane.servers.record("files");',
    scope: "admin",
    input: z.object({ name, on: flag("false: stop it.") }),
    output: RecordedMessages,
    http: {
      method: "post",
      path: "/servers/{name}/record",
      tag,
      body: { description: "Without `on` it starts.", example: { on: true }, optional: true },
      answers: { 200: "Whether it records, without the messages." },
    },
    audit: { input: ({ on = true }) => ({ on }) },
    cli: {
      command: "servers record",
      about: "record the JSON-RPC messages of a server, in the serving plane",
      arguments: { "<name>": "" },
      options: { "--off": { about: "stop recording", input: "on" } },
      examples: ["servers record demo", "servers record demo --off"],
    },
  }),
  operation({
    name: "servers.messages",
    args: ["name"],
    summary: "Recorded JSON-RPC messages of a server",
    description:
      "The last ones, or those after a number; oldest first. A message above 64 KiB is cut.",
    scope: "admin",
    input: z.object({
      name,
      after: wholeNumber(0, "Only those with a higher `number`, from the first on."),
      limit: Limit,
    }),
    output: RecordedMessages,
    http: {
      method: "get",
      path: "/servers/{name}/messages",
      tag,
      answers: { 200: "Oldest first; none where nothing is recorded." },
    },
    cli: {
      command: "servers messages",
      about:
        "recorded JSON-RPC messages of a server; without a serving plane, those of connecting to it",
      arguments: { "<name>": "" },
      options: {
        "--limit <count>": "how many of the latest; 100 by default",
        "--after <number>": "only those with a higher number",
        "--follow": "record and print new ones, until Ctrl-C",
      },
      examples: ["servers messages demo", "servers messages demo --follow --json"],
    },
    run: (plane, { name: server, after, limit = defaultPage }, asker) =>
      plane.servers.messages(server, {
        limit,
        ...(after === undefined ? {} : { after }),
        ...asker,
      }),
  }),
];
