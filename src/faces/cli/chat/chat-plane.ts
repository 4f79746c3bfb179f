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
  const isHere = (server: string | null) => server === null || !away.has(server);

  const servers = over(plane.servers, {
    async list(...given) {
      const all = await plane.servers.list(...given);
      return all.map((status) => (away.has(status.name) ? { ...status, tools: 0 } : status));
    },
    async connect(name, ...given) {
      const connected = await plane.servers.connect(name, ...given);
      away.delete(name);
      return connected;
    },
    async disconnect(name, ...given) {
      const gone = (await plane.tools.list({ server: name, waitMs: 0 })).map((tool) => tool.name);
      const disconnected = await plane.servers.disconnect(name, ...given);
      away.add(name);
      loading.unload(gone);
      return disconnected;
    },
  });
  const tools = over(plane.tools, {
    list: async (...given) =>
      (await plane.tools.list(...given)).filter(({ id }) => isHere(id.server)),
    async page(query, ...given) {
      const page = await plane.tools.page(query, ...given);
      const server = query?.server ?? null;
      const all =
        away.size === 0 ? [] : (await plane.tools.page({ ...query, ...largest }, ...given)).tools;
      const total = page.total - all.filter(({ id }) => !isHere(id.server)).length;
      notes.add(await printLoaded(server));
      return { ...page, total, tools: page.tools.filter(({ id }) => isHere(id.server)) };
    },
  });

  async function printLoaded(server: string | null): Promise<string> {
    const here = await loading.tools(server ?? undefined);
    const loaded = here.filter(await loading.loadedAmong(here)).map(({ name }) => name);
    const which = loaded.length === here.length ? "" : `: ${loaded.join(", ") || "none"}`;
    return `${loaded.length}/${here.length} loaded${which}`;
  }

  /** A call would start its server again. */
  async function requireHere(asked: Parameters<Plane["call"]>[0]): Promise<void> {
    if (away.size === 0) return;
    const tool = await plane.tools.get(asked).catch(() => null);
    const server = tool?.id.server ?? null;
    if (tool === null || server === null || isHere(server)) return;
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

  return over(plane, {
    servers,
    tools,
    // What a command does to it lasts.
    isRemote: true,
    stop: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
    async call(tool, args, options) {
      await requireHere(tool);
      const outcome = await plane.call(tool, args, {
        ...callOptions(chat),
        askHere: askInLine(chat),
        ...options,
      });
      if (outcome.call.status === "waiting")
        notes.add("/plan show lists what waits here, /approve runs it.");
      return outcome;
    },
    async search(...given) {
      const answer = await plane.search(...given);
      const found = answer.tools.filter(({ server }) => isHere(server));
      const fresh = await loading.load(found.map(({ name }) => name));
      if (found.length > 0)
        notes.add(fresh === 0 ? "All are loaded already." : `${fresh} loaded by this search.`);
      return { ...answer, tools: found };
    },
    async stats(query, ...given) {
      await loading.weigh();
      const found = withoutServers(await plane.stats(query, ...given), away);
      notes.add(await printLoaded(query?.server ?? null));
      return found;
    },
  });
}

/** The object with some of its properties replaced, whatever it is made of. */
function over<T extends object>(base: T, own: Partial<T>): T {
  return Object.create(base, Object.getOwnPropertyDescriptors(own)) as T;
}

function withoutServers(found: ContextStats, away: ReadonlySet<string>): ContextStats {
  const gone = found.servers.filter(({ name }) => away.has(name));
  if (gone.length === 0) return found;
  const left = (key: "tools" | "fullTokens" | "summaryTokens" | "loadedTokens") =>
    gone.reduce((sum, server) => sum - server[key], found.totals[key]);
  const fullTokens = left("fullTokens");
  const loadedTokens = left("loadedTokens");
  const savedPercent =
    fullTokens === 0 ? 0 : Math.round((1 - loadedTokens / fullTokens) * 1_000) / 10;
  return {
    ...found,
    servers: found.servers.filter(({ name }) => !away.has(name)),
    totals: {
      tools: left("tools"),
      fullTokens,
      loadedTokens,
      summaryTokens: left("summaryTokens"),
      savedPercent,
    },
  };
}
