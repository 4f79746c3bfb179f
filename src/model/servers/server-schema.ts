import { z } from "zod";
import type { TypeOf } from "../json.ts";
import { Transport } from "./server.ts";

const count = z.number().int();
const moment = z.string().nullable();

export const ServerState = z
  .enum([
    "disabled",
    "config_error",
    "untrusted",
    "disconnected",
    "connecting",
    "connected",
    "backoff",
    "error",
  ])
  .meta({ description: "The state of a server's connection." });
export type ServerState = TypeOf<typeof ServerState>;

export const InstallStatus = z.object({
  since: z.string(),
  lastLine: z
    .string()
    .nullable()
    .meta({ description: "Only for callers who may read the server's log." }),
});
export type InstallStatus = TypeOf<typeof InstallStatus>;

export const StartPhase = z
  .enum(["start", "initialize", "tools/list"])
  .meta({ description: "Starting the program or reaching the address, the handshake, its list." });
export type StartPhase = TypeOf<typeof StartPhase>;

export const EndedSignIn = z
  .object({
    at: z.string(),
    reason: z.string().meta({
      description: "The authorization server's code, such as `invalid_grant`, or one of ours.",
    }),
    how: z.string().meta({ description: "The command that signs in again." }),
  })
  .meta({ description: "Missing where the caller never signed in, or still is." });
export type EndedSignIn = TypeOf<typeof EndedSignIn>;

export const CircuitState = z
  .enum(["closed", "open", "half_open"])
  .meta({ description: "`half_open` tries one call." });
export type CircuitState = TypeOf<typeof CircuitState>;

export const CircuitStatus = z
  .object({
    state: CircuitState,
    failures: count.meta({ description: "In a row." }),
    openUntil: moment,
    lastError: z.string().nullable(),
  })
  .meta({ description: "The circuit breaker of a server." });
export type CircuitStatus = TypeOf<typeof CircuitStatus>;

export const OfferCounts = z.object({
  prompts: count.nullable(),
  resources: count.nullable(),
  resourceTemplates: count.nullable(),
});
export type OfferCounts = TypeOf<typeof OfferCounts>;

export const ServerInstance = z
  .object({
    directory: z.string(),
    state: ServerState,
    pid: count.nullable(),
    error: z.string().nullable(),
  })
  .meta({ description: "A server as it runs in one directory." });
export type ServerInstance = TypeOf<typeof ServerInstance>;

export const ServerStatus = z
  .object({
    name: z.string(),
    state: ServerState,
    foundIn: z
      .array(z.string())
      .optional()
      .meta({ description: "Without a configuration: the clients in whose files it was found." }),
    idle: z.boolean().meta({
      description:
        "Fine, and not running because nothing needs it; `state` is `disconnected` then.",
    }),
    installing: InstallStatus.optional().meta({
      description:
        "A program such as npx fetches it before it starts; `state` is `connecting` then.",
    }),
    starting: z.object({ phase: StartPhase, since: z.string() }).optional().meta({
      description: "What it is waited for, and since when; `state` is `connecting` then.",
    }),
    transport: z.enum(Transport.options).nullable(),
    protocolVersion: z.string().nullable(),
    protocolReason: z.string().optional().meta({
      description: "Why it is spoken to in this revision; missing while it is not connected.",
    }),
    tools: count,
    stale: z.boolean().meta({ description: "Has listing failed since the tools were listed?" }),
    error: z.string().nullable(),
    signInEnded: EndedSignIn.optional(),
    stderrTail: z
      .string()
      .optional()
      .meta({ description: "What the server wrote itself before that; only for administrators." }),
    nextRetryAt: moment,
    attempts: count.optional().meta({ description: "Failed attempts to connect in a row." }),
    reconnect: z
      .object({ backoffMs: z.number(), maxBackoffMs: z.number() })
      .optional()
      .meta({ description: "The first and the longest wait between two attempts." }),
    pid: count.nullable(),
    rejected: z
      .array(z.object({ tool: z.string(), reason: z.string() }))
      .meta({ description: "Tools that could not be accepted, and why." }),
    incomplete: z.object({ reason: z.string(), leftOut: count }).optional().meta({
      description: "Why its list of tools is not whole, and how many were seen and left out.",
    }),
    flapping: z.array(z.string()).optional().meta({
      description:
        "The lists of which each listing brings another notice of change: asked for once a minute at most.",
    }),
    listedAt: moment,
    offers: OfferCounts.meta({
      description: "How many it lists beside its tools; null where it was not asked yet.",
    }),
    pending: count.meta({ description: "Requests that wait for it, or to be sent." }),
    sessions: count,
    instances: z.array(ServerInstance).optional().meta({
      description:
        "Of a server that works in the directory of its caller: where it was asked for. Only for administrators.",
    }),
    noise: count.meta({ description: "How many lines were no message of the protocol." }),
    circuit: CircuitStatus.optional().meta({
      description:
        "Whether calls are let through after failures in a row; missing where the circuit breaker is off.",
    }),
  })
  .meta({
    id: "Server",
    description: "A server with its connection, its tools and its last error.",
  });
export type ServerStatus = TypeOf<typeof ServerStatus>;

const Reason = z.object({ server: z.string(), reason: z.string() });

export const RefreshReport = z
  .object({
    attempted: z.array(z.string()),
    reconnected: z.array(z.string()),
    still_failed: z.array(Reason),
    skipped: z.array(Reason),
  })
  .meta({ id: "RefreshReport", description: "Which servers were asked again, and how that went." });
export type RefreshReport = TypeOf<typeof RefreshReport>;

export const ServerLogLine = z
  .object({
    at: z.string(),
    source: z.enum(["stderr", "log", "noise", "notification"]),
    level: z.string().optional(),
    text: z.string(),
  })
  .meta({ id: "LogLine" });
export type ServerLogLine = TypeOf<typeof ServerLogLine>;

export const ServerMessage = z
  .object({
    number: count.meta({ description: "Counts up; later ones are read with `after`." }),
    at: z.string(),
    direction: z.enum(["sent", "received"]).meta({ description: "As the plane sees it." }),
    kind: z.enum(["request", "result", "error", "notification"]),
    method: z
      .string()
      .nullable()
      .meta({ description: "Of an answer, that of its request; null where it is unknown." }),
    id: z.union([z.string(), z.number()]).nullable(),
    durationMs: z
      .number()
      .nullable()
      .meta({ description: "Of an answer: the time since its request." }),
    session: count.meta({ description: "Sessions are counted from the start of the recording." }),
    bytes: count,
    cut: z
      .boolean()
      .meta({ description: "It was too long: `message` is the beginning of its text." }),
    message: z.unknown().meta({ description: "Without secrets and injected values." }),
  })
  .meta({ id: "ServerMessage", description: "A JSON-RPC message of a session with a server." });
export type ServerMessage = TypeOf<typeof ServerMessage>;

export const RecordedMessages = z
  .object({
    recording: z.boolean(),
    since: moment,
    until: moment.meta({ description: "Then they are dropped, unless they are read before." }),
    dropped: count.meta({ description: "How many older ones were dropped." }),
    messages: z.array(ServerMessage),
  })
  .meta({ id: "RecordedMessages", description: "Messages since `since`, oldest first." });
export type RecordedMessages = TypeOf<typeof RecordedMessages>;

export const Contact = z.object({
  author: z.string().nullable(),
  help_email: z.string().nullable(),
});
export type Contact = TypeOf<typeof Contact>;

export const Locked = z
  .object({ name: z.string(), description: z.string(), contact: Contact, locked: z.literal(true) })
  .meta({ id: "Locked", description: "Not for the caller; `contact` says whom to ask." });
/** What a caller without access learns of a server or a tool. */
export type Locked = TypeOf<typeof Locked>;
