import type {
  Approved,
  Authorized,
  CallOptions,
  Injected,
  Requested,
  Resolved,
  Routed,
  Validated,
} from "../../src/model/calls/call.ts";
import { type Tool, ToolMetadata } from "../../src/model/catalogue/tool.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { principalOf } from "../../src/model/principal.ts";
import { ServerDefinition } from "../../src/model/servers/server.ts";

/** A tool that nothing good is known about: not trusted, not repeatable. */
export function sampleTool(changes: Partial<Tool> = {}): Tool {
  const server = changes.id === undefined ? "notes" : changes.id.server;
  return {
    id: { server: "notes", tool: "write" },
    name: "notes.write",
    modelName: "notes__write",
    description: "Writes a note.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    injects: [],
    reserved: [],
    annotations: {},
    trusted: false,
    metadata: sampleMetadata(),
    consent: "default",
    groups: [],
    persona: null,
    providers: [{ name: "mcp", priority: 0, health_check_interval: 300, config: { server } }],
    source: `mcp:${server}`,
    ...changes,
  };
}

export function sampleMetadata(changes: Partial<ToolMetadata> = {}): ToolMetadata {
  return { ...ToolMetadata.parse({ side_effects: "network", requires_consent: true }), ...changes };
}

export function sampleServer(changes: Record<string, unknown> = {}): ServerDefinition {
  return ServerDefinition.parse({ command: "server", transport: "stdio", ...changes });
}

export function requestedCall(
  args: unknown = { text: "hi" },
  options: CallOptions = {},
): Requested {
  return {
    id: "call-1",
    at: "2026-03-01T12:00:00.000Z",
    asked: { tool: "notes.write", arguments: args },
    principal: principalOf({ user: "ada", groups: ["everyone", "engineering"] }),
    face: "library",
    options,
  };
}

export function resolvedCall(tool = sampleTool(), args?: unknown): Resolved {
  return { ...requestedCall(args), tool };
}

export function authorizedCall(tool = sampleTool(), args?: unknown): Authorized {
  return { ...resolvedCall(tool, args), grant: { by: "everyone" } };
}

export function validatedCall(tool = sampleTool(), args: JsonObject = { text: "hi" }): Validated {
  return {
    ...authorizedCall(tool, args),
    input: { arguments: args, repaired: false, dropped: [] },
  };
}

export function injectedCall(tool = sampleTool(), values: JsonObject = {}): Injected {
  return { ...validatedCall(tool), injected: { values } };
}

export function approvedCall(tool = sampleTool(), options: CallOptions = {}): Approved {
  const approval = {
    verdict: "allow",
    origin: "profile:personal",
    reason: "nothing holds it back",
  } as const;
  return { ...injectedCall(tool), options, approval };
}

export function routedCall(tool = sampleTool(), limitMs = 60_000): Routed {
  const route = { candidates: tool.providers, limit: { ms: limitMs, setBy: "default" } } as const;
  return { ...approvedCall(tool), route };
}
