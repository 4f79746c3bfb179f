import { effectOf } from "../../access/access.ts";
import { signalOf } from "../../lib/async/cancellation.ts";
import { abortable } from "../../lib/async/signals.ts";
import { TimeLimiter } from "../../lib/async/time-limit.ts";
import { putExactNumbers } from "../../lib/json/exact-numbers.ts";
import { hash } from "../../lib/json/stable-json.ts";
import { createShortLivedMap } from "../../lib/short-lived-map.ts";
import type { Executed, Routed } from "../../model/calls/call.ts";
import type { ResultOrigin } from "../../model/calls/call-schema.ts";
import type { Relay } from "../../model/calls/provider.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { type ErrorCode, PlaneError } from "../../model/errors.ts";
import type { Servers } from "../../servers/servers.ts";
import { endedError } from "../attempt.ts";
import { type Around, type ExecuteOptions, progressStretch } from "../execute.ts";
import { type CachedAnswer, copyOf, createResultCache } from "./result-cache.ts";

type Ports = {
  config(): Config;
  answer: ExecuteOptions["answer"];
  /** Of all viewers; another list once it has changed. */
  tools(): readonly Tool[];
  servers: Pick<Servers, "opensForUser">;
};

type Setting = {
  ttlMs: number;
  maxEntries: number;
  shared: boolean;
  coalesce: boolean;
  scope: string;
};
type ReadContext = Parameters<Around>[1];
type Run = Parameters<Around>[2];
type Answered = { executed: Executed; cacheable: CachedAnswer; isOwn: boolean };
type Member = { relay: Relay | undefined; limiter?: TimeLimiter };
type Flight = {
  stamp: string;
  members: Set<Member>;
  controller: AbortController;
  done: Promise<Answered>;
};
/** One call and all that decides about sharing its result. */
type Read = {
  call: Routed;
  context: ReadContext;
  run: Run;
  key: string;
  setting: Setting;
  /** One result for all callers. */
  isShared: boolean;
  servers: readonly string[];
};

/** About the first caller, not about the tool: the others ask for themselves. */
const callerSpecificErrors: ReadonlySet<ErrorCode> = new Set([
  "TIMEOUT",
  "CANCELLED",
  "BUDGET_EXCEEDED",
]);

export type ReadCache = ReturnType<typeof createReadCache>;

/** The cache of results, and equal calls under way that share one request: for tools known to only read. */
export function createReadCache(ports: Ports) {
  function onlyReads(tool: Tool) {
    const { effect, known: isKnown } = effectOf(tool, ports.config().policy.effects);
    return isKnown && effect === "read";
  }

  const cache = createResultCache();
  const flights = createShortLivedMap<Flight>();
  const epochs = new Map<string, number>();

  const isPersonal = (servers: readonly string[]) => servers.some(ports.servers.opensForUser);

  function stampOf(servers: readonly string[]) {
    return servers.map((server) => epochs.get(server) ?? 0).join();
  }

  /** What was read before is not given any more, nor what is being read. */
  function forget(server: string): void {
    epochs.set(server, (epochs.get(server) ?? 0) + 1);
    cache.forget(server);
  }

  const around: Around = async (call, context, run) => {
    const { tool } = call;
    const servers = serversOf(tool);
    if (tool.id.kind !== undefined) return run(call, context);
    if (!onlyReads(tool)) return write(servers, () => run(call, context));
    const setting = settingOf(tool, ports.config());
    if (setting === null || !isShareable(call, context)) return run(call, context);
    const isShared = setting.shared && !isPersonal(servers);
    const key = keyOf(call, context, isShared, ports.config());
    const cached = setting.ttlMs > 0 ? cache.get(key) : undefined;
    if (cached) return withCached(call, cached, { cached: true });
    const read = { call, context, run, key, setting, isShared, servers };
    const flight = setting.coalesce ? flights.get(key) : undefined;
    if (flight?.stamp === stampOf(servers)) return follow(flight, read);
    const executed = setting.coalesce ? await lead(read) : (await ask(read, context)).executed;
    return asMiss(executed, setting);
  };

  /** Before and after: what is read meanwhile may be from before. */
  async function write(
    servers: readonly string[],
    run: () => Promise<Executed>,
  ): Promise<Executed> {
    servers.forEach(forget);
    try {
      return await run();
    } finally {
      servers.forEach(forget);
    }
  }

  async function ask(
    { call, run, key, setting, isShared, servers }: Read,
    { cancellation, relay }: ReadContext,
  ): Promise<Answered> {
    const stamp = stampOf(servers);
    let wasAsked = false;
    const answer: ExecuteOptions["answer"] = (...question) => {
      wasAsked = true;
      return ports.answer(...question);
    };
    const onQuestion: Relay["onQuestion"] = (...question) => {
      wasAsked = true;
      return relay?.onQuestion?.(...question) ?? Promise.resolve(null);
    };
    const passed = relay?.onQuestion ? { ...relay, onQuestion } : relay;
    const executed = await run(call, { cancellation, relay: passed }, { answer });
    const { result } = executed.executed;
    // What a person or a model answered belongs to that call, and so does what the caller's own credentials opened.
    const isOwn =
      wasAsked ||
      (isShared && isPersonal(servers)) ||
      (result.resultType !== undefined && result.resultType !== "complete");
    const cacheable = copyOf(executed.executed);
    if (setting.ttlMs > 0 && !isOwn && !result.isError && stamp === stampOf(servers))
      cache.put(key, cacheable, { ...setting, servers });
    return { executed, cacheable, isOwn };
  }

  async function lead(read: Read): Promise<Executed> {
    const { call, context, key, servers } = read;
    const controller = new AbortController();
    const members = new Set<Member>();

    async function begin() {
      try {
        return await ask(read, {
          cancellation: controller.signal,
          relay: toAll(members, context.relay),
        });
      } finally {
        if (flights.get(key) === flight) flights.delete(key);
      }
    }

    const flight: Flight = {
      stamp: stampOf(servers),
      members,
      controller,
      done: Promise.resolve(null as never),
    };
    flights.set(key, flight);
    flight.done = begin();
    try {
      return (await board(flight, { relay: context.relay }, signalOf(context.cancellation)))
        .executed;
    } catch (thrown) {
      if (!signalOf(context.cancellation)?.aborted) throw thrown;
      // Alone, it was cancelled with the request, which knows more about it.
      if (members.size === 0) return (await flight.done).executed;
      throw new PlaneError("CANCELLED", `The call of '${call.tool.name}' was cancelled.`, {
        data: placeOf(call),
      });
    }
  }

  async function follow(flight: Flight, read: Read): Promise<Executed> {
    const { call, context, setting } = read;
    const { limit } = call.route;
    const limiter = new TimeLimiter(limit.ms, {
      capMs: limit.ms * progressStretch,
      caller: context.cancellation,
    });
    try {
      const { cacheable, isOwn } = await board(
        flight,
        { relay: context.relay, limiter },
        limiter.signal,
      );
      if (!isOwn) return withCached(call, copyOf(cacheable), { coalesced: true });
    } catch (thrown) {
      if (limiter.isCancelled) throw endedError(limiter, limit, placeOf(call));
      if (!(thrown instanceof PlaneError) || !callerSpecificErrors.has(thrown.code)) throw thrown;
    } finally {
      limiter.clear();
    }
    const ms = limit.ms === 0 ? 0 : Math.max(1, Math.round(limiter.leftMs()));
    const late = { ...call, route: { ...call.route, limit: { ...limit, ms } } };
    return asMiss((await ask({ ...read, call: late }, context)).executed, setting);
  }

  let snapshot:
    | { config: Config; tools: readonly Tool[]; servers: ReadonlySet<string> }
    | undefined;

  /** Servers of which something is shared: a write to them must be noticed. */
  function sharedServers(): ReadonlySet<string> {
    const config = ports.config();
    const tools = ports.tools();
    if (snapshot?.config === config && snapshot.tools === tools) return snapshot.servers;
    const sharing = tools.filter((tool) => settingOf(tool, config) !== null);
    snapshot = { config, tools, servers: new Set(sharing.flatMap(serversOf)) };
    return snapshot.servers;
  }

  return {
    /** Null where nothing of the tool's servers is shared. */
    around(tool: Tool): Around | null {
      const shared = sharedServers();
      const isShared = shared.size > 0 && serversOf(tool).some((server) => shared.has(server));
      return isShared ? around : null;
    },
    forget,
  };
}

/** The request ends when all who wait for it have left. */
async function board(
  flight: Flight,
  member: Member,
  signal: AbortSignal | undefined,
): Promise<Answered> {
  flight.members.add(member);
  try {
    return await abortable(flight.done, signal);
  } finally {
    flight.members.delete(member);
    if (flight.members.size === 0) {
      flight.done.catch(() => undefined);
      flight.controller.abort(signal?.reason);
    }
  }
}

/** Questions go to the first caller, progress and logs to all. */
function toAll(members: ReadonlySet<Member>, relay: Relay | undefined): Relay {
  const toMembers: Relay = {
    ...relay,
    onProgress(progress) {
      for (const member of members) {
        member.limiter?.extend();
        member.relay?.onProgress?.(progress);
      }
    },
  };
  if (relay?.onLog)
    toMembers.onLog = (message) => {
      for (const member of members) member.relay?.onLog?.(message);
    };
  return toMembers;
}

function withCached(call: Routed, answer: CachedAnswer, origin: ResultOrigin): Executed {
  return { ...call, executed: { ...answer, attempts: [], ...origin } };
}

function asMiss(executed: Executed, { ttlMs }: Setting): Executed {
  if (ttlMs > 0) return { ...executed, executed: { ...executed.executed, cached: false } };
  return executed;
}

/** The tool's own word, then its server's. */
function settingOf({ id, metadata }: Tool, { servers }: Config): Setting | null {
  const definition = id.server === null ? undefined : servers[id.server];
  const cache = metadata.cache ?? definition?.cache;
  const coalesce = metadata.coalesce ?? definition?.coalesce ?? (cache?.ttlMs ?? 0) > 0;
  if (!coalesce && !cache?.ttlMs) return null;
  const scope = JSON.stringify(metadata.cache ? [id.server, id.tool] : [id.server]);
  return { ttlMs: 0, maxEntries: 0, shared: false, ...cache, coalesce, scope };
}

/** Of what has no server, all together are one. */
function serversOf({ providers }: Tool): string[] {
  const servers = providers.map(({ name, config }) =>
    name === "mcp" ? String(config.server) : "",
  );
  return [...new Set(servers)];
}

function placeOf({ tool: { name, id } }: Routed): { tool: string; server?: string } {
  if (id.server === null) return { tool: name };
  return { tool: name, server: id.server };
}

function isShareable({ options }: Routed, { relay }: ReadContext): boolean {
  if (options.idempotencyKey !== undefined || relay?.onOwnTool) return false;
  return Object.keys(relay?.continuation ?? {}).length === 0;
}

/** Of these, each call has its own. */
const ownMeta: ReadonlySet<string> = new Set([
  "traceparent",
  "tracestate",
  "baggage",
  "progressToken",
]);

/** Tool, arguments as they are sent, and who calls. */
function keyOf(
  { tool, input, injected, principal, options }: Routed,
  { relay }: ReadContext,
  isShared: boolean,
  { servers, inWorkspace }: Pick<Config, "servers" | "inWorkspace">,
) {
  const args = { ...putExactNumbers(input.arguments, input.exact ?? []), ...injected.values };
  const sessions = serversOf(tool).map((server) => servers[server]?.session);
  const ofUser = [principal.user, principal.key ?? null];
  const meta = Object.entries(relay?.meta ?? {}).filter(([name]) => !ownMeta.has(name));
  return hash([
    tool.id,
    args,
    isShared ? null : principal,
    serversOf(tool).some((server) => inWorkspace.includes(server))
      ? (principal.directory ?? null)
      : null,
    sessions.includes("principal") ? ofUser : null,
    sessions.includes("conversation") ? [...ofUser, options.conversation ?? null] : null,
    Object.fromEntries(meta),
  ]);
}
