import { askForApproval } from "./approvals/approvals.ts";
import { revealConfig } from "./config/secrets/reveal-config.ts";
import { once } from "./lib/once.ts";
import type { Outcome, Requested } from "./model/call.ts";
import type { Config } from "./model/config.ts";
import { toPlaneError } from "./model/errors.ts";
import type { Json } from "./model/json.ts";
import type { Plane } from "./model/plane.ts";
import type { Principal } from "./model/principal.ts";
import type { ProviderSpec, Tool, ToolId } from "./model/tool.ts";
import { mayBelongTo } from "./model/tool-name.ts";
import { createCallTool } from "./pipeline/call-tool.ts";
import { readProgress } from "./pipeline/read-progress.ts";
import { createRecorder } from "./pipeline/record.ts";
import { requestCall } from "./pipeline/request.ts";
import type { Answers } from "./plane-answers.ts";
import type { Catalogue } from "./plane-catalogue.ts";
import type { HandWrittenTools } from "./plane-hand-written.ts";
import type { Memory } from "./plane-memory.ts";
import { decide } from "./policy/decide.ts";
import { grantFor } from "./policy/grant.ts";
import { createFunctionProvider } from "./providers/function.ts";
import { createHttpProvider } from "./providers/http.ts";
import { createMcpProvider } from "./providers/mcp.ts";
import { renderInventory } from "./registry/inventory.ts";
import type { Routing } from "./registry/routing.ts";
import type { Servers } from "./servers/servers.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type SchemaCheck = typeof import("./pipeline/schema-check.ts");

/** Who can execute tools here, and why one of them cannot. */
export function createProviders(servers: Servers, handWritten: HandWrittenTools, environment: Environment) {
  const kinds = new Map([
    ["mcp", createMcpProvider(servers.request)],
    ["http", createHttpProvider((spec) => revealConfig(spec, environment))],
    ["function", createFunctionProvider(handWritten.run)],
  ]);
  return {
    of: (name: string) => kinds.get(name),
    trouble(spec: ProviderSpec): string | null {
      const { name, config } = spec;
      if (!kinds.has(name)) return `no provider of kind '${name}' is known`;
      const isConfigured = name !== "mcp" || servers.names().includes(String(config.server));
      return isConfigured ? handWritten.trouble(spec) : `server '${config.server}' is not configured`;
    },
  };
}

export type CallParts = {
  config(): Config;
  environment: Environment;
  everybody: Principal;
  memory: Memory;
  servers: Servers;
  catalogue: Catalogue;
  providers: ReturnType<typeof createProviders>;
  routing: Routing;
  answers: Answers;
  schemaCheck(): Promise<SchemaCheck>;
  find(asked: string | ToolId, principal: Principal): Promise<Tool>;
};

/** The one path, wired. */
export function createCalls(parts: CallParts): Pick<Plane, "call"> & { stop(): Promise<void> } {
  const { config, environment, everybody, memory, servers, catalogue, providers, routing, answers } = parts;
  const { schemaCheck, find } = parts;
  const { emit } = memory;
  const describeServer = (server: string) => config().servers[server]?.description ?? "";
  const injectables: Record<string, (call: Requested) => Json | undefined | Promise<Json>> = {
    username: ({ principal }) => principal.user ?? undefined,
    _mcp_data: async ({ principal }) => {
      await servers.discover();
      return renderInventory(catalogue.visibleTo(principal), describeServer);
    },
  };
  // A turn later the tool's server is starting, and what the later stages need is loaded meanwhile.
  const warmUp = once(async () => {
    await new Promise(setImmediate);
    await Promise.all([memory.open(), schemaCheck(), import("node:crypto")]);
  });
  const callTool = createCallTool({
    async findTool(asked, principal) {
      if (typeof asked === "string") servers.warm(servers.names().filter((name) => mayBelongTo(name, asked)));
      const [tool] = await Promise.all([find(asked, principal), warmUp()]);
      return tool;
    },
    grantFor,
    checkArguments: async (schema, args) => (await schemaCheck()).checkSchema(schema, args),
    valueFor: (parameter, call) => injectables[parameter]?.(call),
    decide: (call) => decide(call, config().policy),
    ask: (call, verdict) => askForApproval(call, verdict, { store: memory.addApproval, emit }),
    routing: {
      environment,
      unavailable: providers.trouble,
      resting: routing.resting,
      serverLimitMs: (server) => config().servers[server]?.timeoutMs,
    },
    execution: {
      provider: providers.of,
      checkOutput: async (schema, result) => (await schemaCheck()).checkOutput(schema, result),
      answer: answers.answer,
      routing: {
        failed: routing.failed,
        worked: routing.worked,
        async check(tool, provider, spec, signal) {
          if (spec.name !== "mcp" || !routing.takeCheck(tool, provider, spec)) return null;
          return servers.check(String(spec.config.server), signal).then(
            () => null,
            (thrown) => toPlaneError(thrown).message,
          );
        },
      },
      onRetry: ({ id, tool }, retry) => emit({ type: "tool.retry", callId: id, tool: tool.name, ...retry }),
      onProgress: ({ id, tool }, progress) =>
        emit({ type: "tool.progress", callId: id, tool: tool.name, ...readProgress(progress) }),
      onTask: ({ id, tool }, task) => emit({ type: "tool.task", callId: id, tool: tool.name, ...task }),
    },
    record: createRecorder({ emit, write: memory.record }),
  });

  const active = new Set<Promise<Outcome>>();
  const stopping = new AbortController();
  return {
    call(asked, args, callOptions = {}) {
      const { signal } = callOptions;
      const ending = signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal;
      const running = callTool(requestCall(asked, args, callOptions, everybody), ending);
      active.add(running);
      return running.finally(() => active.delete(running));
    },
    async stop() {
      stopping.abort(new Error("the plane is stopping"));
      // A turn for what has to be said to servers before they go.
      await new Promise(setImmediate);
      await servers.stop();
      await Promise.allSettled(active);
    },
  };
}
