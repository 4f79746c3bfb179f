import { z } from "zod";
import type { Plane } from "../../model/plane.ts";
import type { CliCommand } from "../command-form.ts";
import { type Audit, type Missing, type Operation, operation } from "../operation.ts";
import { switched } from "./servers.ts";

const paged = "the list comes in pages";
const part = (route: string) => `\`${route}\` has it`;

type Local = [
  name: string,
  args: readonly string[],
  summary: string,
  command: string | CliCommand | Missing,
  noRoute: string,
  more?: Pick<Operation, "isAnonymous" | "socket"> & { audit?: Audit<object> },
];
const isAnonymous = true;
const socket: Missing = { missing: "the browser of the person returns to the process that began" };

const signIn: Missing = { missing: "`servers login` does all of it" };

/** Only what differs is recorded. */
function settingsOf(plane: Plane): object {
  const { problems: _, fromManifests: _manifests, ...config } = plane.config();
  return config;
}

const verbs: readonly Local[] = [
  ["tools.list", [], "Tools, all at once", "tools list", paged],
  ["jobs.list", [], "Jobs, all at once", "jobs list", paged],
  ["tasks.list", [], "Tasks, all at once", "tasks list", paged],
  ["approvals.list", [], "Held calls, all at once", "approvals list", paged],
  [
    "tools.isLazy",
    [],
    "Are the definitions too many for a model at once?",
    "chat",
    part("GET /stats"),
  ],
  [
    "servers.locked",
    [],
    "Servers without access that may be shown",
    "servers list",
    part("GET /servers"),
  ],
  [
    "servers.ping",
    ["server"],
    "Ask a server for a sign of life",
    {
      command: "servers ping",
      about: "check that a server responds",
      arguments: { "<name>": "" },
      examples: ["servers ping demo"],
    },
    part("GET /doctor"),
    { isAnonymous },
  ],
  [
    "servers.clearCaches",
    ["server"],
    "End sessions and forget listings",
    { missing: "`servers reconnect` does it for one server" },
    "`POST /servers/{name}/disconnect` ends sessions, `refresh` lists again",
    {
      audit: {
        snapshot: (plane, { server: name }: { server?: string }, caller) =>
          switched.snapshot?.(plane, name === undefined ? {} : { name }, caller),
      },
    },
  ],
  [
    "resources.templates",
    ["server"],
    "Templates of resources",
    "resources list",
    part("GET /resources"),
  ],
  [
    "conversations.budget",
    ["conversation"],
    "What a conversation has used",
    "chat",
    "only its own client asks",
  ],
  [
    "conversations.end",
    ["conversation"],
    "End a conversation",
    "chat",
    "idle sessions end by themselves",
  ],
  [
    "plans.check",
    ["text"],
    "What is wrong with a plan of steps",
    {
      command: "plan check",
      about: "check a plan line by line; runs nothing",
      arguments: {
        "<file>": "a script of 'toolplane call' lines, or its steps as JSON; - for standard input",
      },
      examples: ["plan check greet.sh", "plan check steps.json --json"],
    },
    "the planner checks what it makes",
  ],
  [
    "calls.verify",
    ["..."],
    "Check the hash chain of the records",
    {
      command: "calls verify",
      about: "verify the audit hash chain; names the first call that fails",
      options: {
        "--head <hash>": "a hash from an earlier run, which must still be in the record",
        "--since <time>": "only records of this day or moment and later, such as 2026-11-15",
        "--until <time>": "only records up to the end of this day, or up to this moment",
        "--keep-days <number>": {
          about: "how old records had to be when they were removed; calls.keepDays when left out",
          kind: "count",
        },
      },
      examples: [
        "calls verify",
        "calls verify --head 9f86d081884c7d65…",
        "calls verify --since 2026-11-15",
      ],
    },
    "it reads every record, on the machine",
  ],
  [
    "calls.payloads",
    ["ids"],
    "Arguments and results of calls",
    "calls list",
    part("GET /calls/{id}"),
  ],
  [
    "runs.render",
    ["id", "format"],
    "A run as text",
    "calls show",
    "`GET /runs/{id}` with `Accept: text/plain`",
  ],
  [
    "agent.generate",
    [],
    "A run whose answer is parsed",
    "batch",
    "`POST /agent` answers with text",
  ],
  [
    "identity.needsCredentials",
    [],
    "Must callers authenticate?",
    "keys create",
    part("GET /session"),
    { isAnonymous },
  ],
  [
    "config",
    [],
    "The configuration in force",
    {
      command: "config show",
      about: "the configuration in effect, with secrets masked",
      examples: ["config show"],
    },
    part("GET /config"),
    { isAnonymous },
  ],
  [
    "reload",
    [],
    "Read the configuration again",
    { missing: "a plane that serves watches its files" },
    "a plane that serves watches its files",
    { audit: { snapshot: (plane) => settingsOf(plane), after: (answer) => answer } },
  ],
  [
    "tokens.signIn",
    ["server"],
    "Sign in with a local listener",
    signIn,
    part("POST /servers/{name}/sign-in"),
    { socket, audit: {} },
  ],
  [
    "tokens.beginSignIn",
    ["server", "redirectUri"],
    "Begin to sign in",
    signIn,
    part("POST /servers/{name}/sign-in"),
    { socket, audit: {} },
  ],
  [
    "tokens.finishSignIn",
    ["parameters"],
    "Take what the browser returned with",
    signIn,
    part("GET /oauth/callback"),
    { socket, audit: { target: (_, result) => result?.server } },
  ],
];

/** What the command line asks of a plane in another process, without a route of its own. */
export const localOperations = verbs.map(([name, args, summary, command, missing, more]) =>
  operation({
    name,
    args,
    summary,
    scope: "read",
    input: z.object(
      Object.fromEntries(args.filter((arg) => arg !== "...").map((arg) => [arg, z.unknown()])),
    ),
    output: z.unknown(),
    http: { missing },
    cli: typeof command === "string" ? { command } : command,
    ...more,
  }),
);
