import * as z from "zod";
import { SideEffects } from "./tool.ts";

export const Transport = z.enum(["stdio", "http", "sse", "websocket"]);
export type Transport = z.infer<typeof Transport>;

const globs = z.array(z.string()).nullable();

/** One MCP server in the normal form of the configuration. */
export const ServerDefinition = z.strictObject({
  command: z.string().min(1).optional(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
  url: z.url({ protocol: /^(https?|wss?)$/ }).optional(),
  transport: Transport,
  headers: z.record(z.string(), z.string()).default({}),
  description: z.string().default(""),
  enabled: z.boolean().default(true),
  autoConnect: z.boolean().default(true),
  trusted: z.boolean().default(false),
  /** 0 means no limit. */
  timeoutMs: z.number().int().min(0).optional(),
  connectTimeoutMs: z.number().int().positive().default(30_000),
  groups: z.array(z.string()).default([]),
  persona: z.string().nullable().default(null),
  allow_tools: globs.default(null),
  deny_tools: globs.default(null),
  side_effects: SideEffects.default("network"),
  allow_parallel: z.boolean().default(false),
  requires_consent: z.boolean().optional(),
  idempotency_key: z.boolean().default(false),
  /** Parameters that only the system sets, where a tool declares them. */
  inject: z.array(z.enum(["_mcp_data", "username"])).default(["_mcp_data"]),
});
export type ServerDefinition = z.infer<typeof ServerDefinition>;

export type ServerState =
  | "disabled"
  | "config_error"
  | "disconnected"
  | "connecting"
  | "connected"
  | "backoff"
  | "error";

export type ServerStatus = {
  name: string;
  state: ServerState;
  transport: Transport | null;
  protocolVersion: string | null;
  tools: number;
  /** Are the listed tools from an earlier connection? */
  stale: boolean;
  error: string | null;
  nextRetryAt: string | null;
  pid: number | null;
  /** Tools the server offered and we could not take, with the reason. */
  rejected: { tool: string; reason: string }[];
};
