import { z } from "zod";

const Reason = z.object({ server: z.string(), reason: z.string() });

export const Server = z
  .object({
    name: z.string(),
    state: z.enum([
      "disabled",
      "config_error",
      "untrusted",
      "disconnected",
      "connecting",
      "connected",
      "backoff",
      "error",
    ]),
    idle: z.boolean().meta({
      description: "Fine, and not running because nothing needs it; `state` is `disconnected` then.",
    }),
    installing: z.object({ since: z.string(), lastLine: z.string().nullable() }).optional().meta({
      description:
        "A program such as npx fetches it before it starts; `state` is `connecting` then. Its last line is only for administrators.",
    }),
    transport: z.enum(["stdio", "http", "sse", "websocket", "openapi", "memory"]).nullable(),
    protocolVersion: z.string().nullable(),
    tools: z.number().int(),
    stale: z.boolean().meta({ description: "Are the tools older than a failure to list them again?" }),
    error: z.string().nullable(),
    stderrTail: z
      .string()
      .optional()
      .meta({ description: "What the server wrote itself before that; only for administrators." }),
    nextRetryAt: z.string().nullable(),
    attempts: z.number().int().optional().meta({ description: "Failed attempts to connect in a row." }),
    reconnect: z
      .object({ backoffMs: z.number(), maxBackoffMs: z.number() })
      .optional()
      .meta({ description: "The first and the longest wait between two attempts." }),
    pid: z.number().int().nullable(),
    rejected: z.array(z.object({ tool: z.string(), reason: z.string() })),
    incomplete: z
      .object({ reason: z.string(), leftOut: z.number().int() })
      .optional()
      .meta({ description: "Why its list of tools is not whole, and how many were seen and left out." }),
    flapping: z
      .array(z.string())
      .optional()
      .meta({ description: "The lists of which each listing brings another notice of change." }),
    listedAt: z.string().nullable(),
    offers: z
      .object({
        prompts: z.number().int().nullable(),
        resources: z.number().int().nullable(),
        resourceTemplates: z.number().int().nullable(),
      })
      .meta({ description: "How many it lists beside its tools; null where it was not asked yet." }),
    pending: z.number().int(),
    sessions: z.number().int(),
    noise: z.number().int(),
    circuit: z
      .object({
        state: z.enum(["closed", "open", "half_open"]),
        failures: z.number().int(),
        openUntil: z.string().nullable(),
        lastError: z.string().nullable(),
      })
      .optional()
      .meta({ description: "Whether calls are let through after failures in a row." }),
  })
  .meta({ id: "Server" });

export const RefreshReport = z
  .object({
    attempted: z.array(z.string()),
    reconnected: z.array(z.string()),
    still_failed: z.array(Reason),
    skipped: z.array(Reason),
  })
  .meta({ id: "RefreshReport" });

export const LogLine = z
  .object({
    at: z.string(),
    source: z.enum(["stderr", "log", "noise", "notification"]),
    level: z.string().optional(),
    text: z.string(),
  })
  .meta({ id: "LogLine" });

const ServerMessage = z
  .object({
    number: z.number().int(),
    at: z.string(),
    direction: z.enum(["sent", "received"]).meta({ description: "As the plane sees it." }),
    kind: z.enum(["request", "result", "error", "notification"]),
    method: z.string().nullable().meta({ description: "Of an answer, that of its request." }),
    id: z.union([z.string(), z.number()]).nullable(),
    durationMs: z.number().nullable().meta({ description: "Of an answer: the time since its request." }),
    session: z.number().int().meta({ description: "Sessions are counted from the start of the recording." }),
    bytes: z.number().int(),
    cut: z.boolean().meta({ description: "It was too long: `message` is the beginning of its text." }),
    message: z.unknown().meta({ description: "Without secrets and injected values." }),
  })
  .meta({ id: "ServerMessage" });

export const RecordedMessages = z
  .object({
    recording: z.boolean(),
    since: z.string().nullable(),
    until: z.string().nullable().meta({ description: "Then they are dropped, unless they are read before." }),
    dropped: z.number().int().meta({ description: "How many older ones were dropped." }),
    messages: z.array(ServerMessage),
  })
  .meta({ id: "RecordedMessages" });

/** As a server lists it, and whose it is. */
export const Listed = z.looseObject({ server: z.string() }).meta({ id: "Listed" });

export const Question = z
  .object({
    id: z.string(),
    callId: z.string(),
    server: z.string(),
    tool: z.string(),
    user: z.string().nullable(),
    conversation: z.string().optional().meta({ description: "The conversation of the call." }),
    message: z.string(),
    sampling: z
      .object({
        systemPrompt: z.string().nullable(),
        messages: z.array(z.object({ role: z.enum(["user", "assistant"]), text: z.string() })),
        maxTokens: z.number().int(),
        hasModel: z.boolean().meta({ description: "A model answers where the person writes nothing." }),
      })
      .optional()
      .meta({ description: "What the server wants a model to continue; the answer is `{text}`." }),
    schema: z.record(z.string(), z.unknown()).nullable(),
    url: z.string().nullable(),
    askedAt: z.string(),
    expiresAt: z.string(),
  })
  .meta({ id: "Question" });

export const TokenStatus = z
  .object({
    server: z.string(),
    user: z.string().nullable(),
    kind: z.enum(["token", "oauth"]),
    expiresAt: z.string().nullable(),
    scopes: z.array(z.string()),
    expired: z.boolean(),
  })
  .meta({ id: "TokenStatus" });
