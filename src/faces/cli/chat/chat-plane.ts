import type { ContextStats } from "../../../model/catalogue/quality-schema.ts";
import { PlaneError } from "../../../model/errors.ts";
import { largestPage } from "../../../model/page.ts";
import type { Plane } from "../../../model/plane.ts";
import { askInLine, type Chat, callOptions } from "./chat-state.ts";

const largest = { limit: largestPage, cursor: null };

/**
 * The plane of a chat as its commands see it. It goes on when they end. The tools of servers that were disconnected here
 * are gone, calls belong to the conversation, and what a search finds is loaded. `notes` are for after the command.
 */
export function createChatPlane(chat: Chat, notes: Set<string>): Plane {
  const { plane, away, loading } = chat;
  const isConnected = (server: string | null) => server === null || !away.has(server);

  const servers = overlay(plane.servers, {
    async list(...args) {
      const statuses = await plane.servers.list(...args);
      return statuses.map((status) => (away.has(status.name) ? { ...status, tools: 0 } : status));
    },
    async connect(name, ...args) {
      const connected = await plane.servers.connect(name, ...args);
      away.delete(name);
      return connected;
    },
    async disconnect(name, ...args) {
      const lostTools = (await plane.tools.list({ server: name, waitMs: 0 })).map(
        (tool) => tool.name,
      );
      const disconnected = await plane.servers.disconnect(name, ...args);
      away.add(name);
      loading.unload(lostTools);
      return disconnected;
    },
  });
  const tools = overlay(plane.tools, {
    list: async (...args) =>
      (await plane.tools.list(...args)).filter(({ id }) => isConnected(id.server)),
    async page(query, ...args) {
      const page = await plane.tools.page(query, ...args);
      let { total } = page;
      if (away.size > 0) {
        const allTools = (await plane.tools.page({ ...query, ...largest }, ...args)).tools;
        total -= allTools.filter(({ id }) => !isConnected(id.server)).length;
      }
      notes.add(await printLoaded(query?.server ?? null));
      return { ...page, total, tools: page.tools.filter(({ id }) => isConnected(id.server)) };
    },
  });

  async function printLoaded(server: string | null): Promise<string> {
    const available = await loading.tools(server ?? undefined);
    const loaded = available.filter(await loading.loadedAmong(available)).map(({ name }) => name);
    const loadedNames =
      loaded.length === available.length ? "" : `: ${loaded.join(", ") || "none"}`;
    return `${loaded.length}/${available.length} loaded${loadedNames}`;
  }

  /** A call would start its server again. */
  async function requireConnected(toolReference: Parameters<Plane["call"]>[0]): Promise<void> {
    if (away.size === 0) return;
    const tool = await plane.tools.get(toolReference).catch(() => null);
    const server = tool?.id.server ?? null;
    if (tool === null || server === null || isConnected(server)) return;
    const { name } = tool;
    const remedy = `/servers connect ${server} brings it back.`;
    throw new PlaneError(
      "SERVER_UNAVAILABLE",
      `'${name}' is gone: '${server}' was disconnected here. ${remedy}`,
      {
        data: { server },
      },
    );
  }

  return overlay(plane, {
    servers,
    tools,
    // What a command does to it lasts.
    isRemote: true,
    stop: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
    async call(tool, args, options) {
      await requireConnected(tool);
      const outcome = await plane.call(tool, args, {
        ...callOptions(chat),
        askHere: askInLine(chat),
        ...options,
      });
      if (outcome.call.status === "waiting")
        notes.add("/plan show lists what waits here, /approve runs it.");
      return outcome;
    },
    async search(...args) {
      const answer = await plane.search(...args);
      const tools = answer.tools.filter(({ server }) => isConnected(server));
      const fresh = await loading.load(tools.map(({ name }) => name));
      if (tools.length > 0)
        notes.add(fresh === 0 ? "All are loaded already." : `${fresh} loaded by this search.`);
      return { ...answer, tools };
    },
    async stats(query, ...args) {
      await loading.weigh();
      const stats = withoutServers(await plane.stats(query, ...args), away);
      notes.add(await printLoaded(query?.server ?? null));
      return stats;
    },
  });
}

/** The object with some of its properties replaced, whatever it is made of. */
function overlay<T extends object>(base: T, replaced: Partial<T>): T {
  return Object.create(base, Object.getOwnPropertyDescriptors(replaced)) as T;
}

function withoutServers(stats: ContextStats, away: ReadonlySet<string>): ContextStats {
  const disconnected = stats.servers.filter(({ name }) => away.has(name));
  if (disconnected.length === 0) return stats;
  const remaining = (key: "tools" | "fullTokens" | "summaryTokens" | "loadedTokens") =>
    disconnected.reduce((sum, server) => sum - server[key], stats.totals[key]);
  const fullTokens = remaining("fullTokens");
  const loadedTokens = remaining("loadedTokens");
  const savedShare = fullTokens === 0 ? 0 : 1 - loadedTokens / fullTokens;
  const savedPercent = Math.round(savedShare * 1_000) / 10;
  return {
    ...stats,
    servers: stats.servers.filter(({ name }) => !away.has(name)),
    totals: {
      tools: remaining("tools"),
      fullTokens,
      loadedTokens,
      summaryTokens: remaining("summaryTokens"),
      savedPercent,
    },
  };
}
