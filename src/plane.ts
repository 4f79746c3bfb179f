import { join } from "node:path";
import { askForApproval } from "./approvals/approvals.ts";
import { processEnvironment } from "./config/environment.ts";
import { loadConfig } from "./config/load-config.ts";
import { createEventBus } from "./lib/event-bus.ts";
import { once } from "./lib/once.ts";
import { uniqueId } from "./lib/unique-id.ts";
import type { Approval } from "./model/approval.ts";
import type { CallRecord, Outcome, Requested } from "./model/call.ts";
import type { EventOf, EventType, PlaneEvent } from "./model/events.ts";
import { type HealthSample, toolSubject } from "./model/health.ts";
import type { Json, UnknownObject } from "./model/json.ts";
import type { Plane, PlaneCallOptions, ToolListing } from "./model/plane.ts";
import { nobody, type Principal } from "./model/principal.ts";
import type { Tool, ToolId } from "./model/tool.ts";
import { requireGrant } from "./pipeline/authorize.ts";
import { createCallTool } from "./pipeline/call-tool.ts";
import { createRecorder } from "./pipeline/record.ts";
import { decide } from "./policy/decide.ts";
import { grantFor } from "./policy/grant.ts";
import { createMcpProvider } from "./providers/mcp.ts";
import { findTool } from "./registry/find-tool.ts";
import { createHealth } from "./registry/health.ts";
import { renderInventory } from "./registry/inventory.ts";
import { createRegistry } from "./registry/registry.ts";
import { translateTools } from "./registry/sources/mcp.ts";
import { createServers } from "./servers/servers.ts";

export type PlaneOptions = {
  /** One or more files, or the configuration itself. */
  config: string | readonly string[] | UnknownObject;
  /** Where state is kept; without it the state lives and dies with the plane. */
  dataDirectory?: string;
  /** Who calls when a call does not say. */
  principal?: Principal;
};

/** Config in, wired plane out. Nothing is started before it is used. */
export async function createPlane(options: PlaneOptions): Promise<Plane> {
  const environment = processEnvironment();
  const config = loadConfig(options.config, environment);
  const everybody = options.principal ?? nobody;
  const memory = createMemory(options.dataDirectory);
  const { emit } = memory;

  const registry = createRegistry(({ revision, tools }) =>
    emit({ type: "registry.changed", revision, tools: tools.length }),
  );
  const servers = createServers({
    definitions: config.servers,
    broken: config.broken,
    environment,
    emit,
    onTools: (server, definition, listed) =>
      registry.setSource(server, translateTools(server, definition, listed)),
    listed: registry.listed,
  });
  const find = (asked: string | ToolId, principal: Principal) =>
    findTool(asked, {
      snapshot: registry.snapshot,
      servers: servers.names,
      discover: servers.connectAll,
      trouble: servers.trouble,
      visible: () => visibleTo(principal),
    });
  const visibleTo = (principal: Principal) =>
    registry.snapshot().tools.filter((tool) => !("refused" in grantFor(principal, tool)));
  const describeServer = (server: string) => config.servers[server]?.description ?? "";
  const injectables: Record<string, (call: Requested) => Json | undefined | Promise<Json>> = {
    username: ({ principal }) => principal.user ?? undefined,
    _mcp_data: async ({ principal }) => {
      await servers.connectAll();
      return renderInventory(visibleTo(principal), describeServer);
    },
  };
  const providers = new Map([["mcp", createMcpProvider(servers.request)]]);
  const schemaCheck = once(() => import("./pipeline/schema-check.ts"));

  const callTool = createCallTool({
    async findTool(asked, principal) {
      const finding = find(asked, principal);
      // The server is starting now; what the later stages need is loaded meanwhile.
      const [tool] = await Promise.all([finding, memory.open(), schemaCheck(), import("node:crypto")]);
      return tool;
    },
    grantFor,
    checkArguments: async (schema, args) => (await schemaCheck()).checkSchema(schema, args),
    valueFor: (parameter, call) => injectables[parameter]?.(call),
    decide: (call) => decide(call, config.policy),
    ask: (call, verdict) => askForApproval(call, verdict, { store: memory.addApproval, emit }),
    routing: {
      unavailable: (name) => (providers.has(name) ? null : `no provider of kind '${name}' is known`),
      serverLimitMs: (server) => config.servers[server]?.timeoutMs,
    },
    execution: {
      provider: (name) => providers.get(name),
      checkOutput: async (schema, result) => (await schemaCheck()).checkOutput(schema, result),
      onRetry: ({ id, tool }, retry) => emit({ type: "tool.retry", callId: id, tool: tool.name, ...retry }),
      onProgress: ({ id, tool }, progress) =>
        emit({ type: "tool.progress", callId: id, tool: tool.name, ...progress }),
    },
    record: createRecorder({ emit, write: memory.record }),
  });

  const active = new Set<Promise<Outcome>>();
  const stopping = new AbortController();
  const withHealth = async (tool: Tool): Promise<ToolListing> => ({
    ...tool,
    health: (await memory.health()).summary(toolSubject(tool.name)),
  });

  const plane: Plane = {
    config,
    start: () => void servers.connectAll(servers.names().filter((name) => config.servers[name]?.autoConnect)),
    call(asked, args, callOptions = {}) {
      const signals = callOptions.signal ? [callOptions.signal, stopping.signal] : [stopping.signal];
      const running = callTool(request(asked, args, callOptions, everybody), AbortSignal.any(signals));
      active.add(running);
      return running.finally(() => active.delete(running));
    },
    async tools({ principal = everybody, server } = {}) {
      await (server === undefined ? servers.connectAll() : servers.connect(server));
      const tools = visibleTo(principal).filter(({ id }) => server === undefined || id.server === server);
      return Promise.all(tools.map(withHealth));
    },
    async tool(asked, { principal = everybody } = {}) {
      const tool = await find(asked, principal);
      requireGrant(principal, tool, grantFor);
      return withHealth(tool);
    },
    async servers({ connect = false } = {}) {
      if (connect) await servers.connectAll();
      return servers.status();
    },
    calls: async (filter) => (await memory.store()).calls(filter),
    on: memory.on,
    stop: once(async () => {
      stopping.abort(new Error("the plane is stopping"));
      await servers.stop();
      await Promise.allSettled(active);
      await memory.close();
    }),
    [Symbol.asyncDispose]: () => plane.stop(),
  };
  return plane;
}

function request(
  asked: string | ToolId,
  args: unknown,
  { principal, face = "library", signal: _, ...options }: PlaneCallOptions,
  everybody: Principal,
): Requested {
  return {
    id: uniqueId(),
    at: new Date().toISOString(),
    asked: { tool: asked, arguments: args },
    principal: principal ?? everybody,
    face,
    options,
  };
}

/** What happened: told to listeners at once, and stored. The store is opened when it is first needed. */
function createMemory(directory: string | undefined) {
  const bus = createEventBus<PlaneEvent>();
  const store = once(async () => {
    const { openSqliteStore } = await import("./store/sqlite.ts");
    return openSqliteStore(directory === undefined ? ":memory:" : join(directory, "toolplane.db"));
  });
  const journal = once(async () => {
    const [{ createJournal }, { append }] = await Promise.all([import("./store/journal.ts"), store()]);
    return createJournal(append);
  });
  const health = once(async () => createHealth(await (await store()).samples()));

  return {
    store,
    health,
    open: async () => void (await journal()),
    addApproval: async (approval: Approval) => (await store()).addApproval(approval),
    on: <T extends EventType>(type: T, listener: (event: EventOf<T>) => void) =>
      bus.on(type, listener as (event: PlaneEvent) => void),
    emit(event: PlaneEvent): void {
      bus.emit(event);
      const entry = { kind: "event", at: new Date().toISOString(), event } as const;
      // A turn later, so that what happens now does not wait for the store to open.
      setImmediate(() =>
        journal()
          .then(({ write }) => write([entry]))
          .catch(() => undefined),
      );
    },
    async record(call: CallRecord, samples: HealthSample[]): Promise<void> {
      const entries = samples.map((sample) => ({ kind: "sample", sample }) as const);
      // Read from the store later if nobody has asked for it yet.
      const watched = health.made() ? await health() : undefined;
      await (await journal()).write([{ kind: "call", call }, ...entries]);
      if (watched) samples.forEach(watched.observe);
    },
    async close(): Promise<void> {
      // What was told in this turn is on its way to the journal.
      await new Promise(setImmediate);
      if (journal.made()) await (await journal()).close();
      if (store.made()) await (await store()).close();
    },
  };
}
