import { once } from "../../lib/async/once.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { shorten } from "../../lib/text/cut-text.ts";
import { matchesGlob } from "../../lib/text/glob.ts";
import { redact } from "../../lib/text/redact.ts";
import { type Embed, parseSearch, readLimit, readText, type SearchAnswer } from "../../model/catalogue/search.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { Plane } from "../../model/plane.ts";
import type { ToolListing } from "../../model/plane-tools.ts";
import { type Principal, requireScope } from "../../model/principal.ts";
import type { ServerStatus } from "../../model/servers/server.ts";
import type { Session } from "../../protocol/session.ts";
import type { ServerText } from "./tool-index.ts";

/** What a server says about itself is read so far; more of it would only dilute what its tools say. */
const maxRead = 2_000;

/**
 * What is said about servers, by whoever configured them and by themselves: their title and how they want to be used.
 * Another function when any of it is different, and the same as long as it is not.
 */
function createServerText(config: () => Config, session: (server: string) => Session | null): () => ServerText {
  let known: { of: Config; texts: Map<string, string>; text: ServerText } | undefined;
  return () => {
    const of = config();
    const before = known?.of === of ? known.texts : new Map<string, string>();
    const texts = new Map(
      Object.entries(of.servers).map(([name, { description = "" }]) => {
        const live = session(name);
        return [name, live ? `${description}\n${saidBy(live)}` : (before.get(name) ?? description)];
      }),
    );
    const isSame = known?.of === of && [...texts].every(([name, text]) => before.get(name) === text);
    if (!known || !isSame) known = { of, texts, text: (server) => texts.get(server ?? "") ?? "" };
    return known.text;
  };
}

function saidBy({ serverInfo, instructions }: Session): string {
  const title = typeof serverInfo?.title === "string" ? serverInfo.title : "";
  return `${title}\n${instructions ?? ""}`.slice(0, maxRead);
}

/** What is not known by then is searched the next time. */
const usualPatienceMs = 5_000;
const maxInEvent = 200;
const maxRecommended = 15;
/** What is worth having is chosen from so many. */
const recommendedFrom = 50;
const maxNamed = 3;

export type SearchParts = {
  config(): Config;
  defaultPrincipal: Principal;
  emit(event: PlaneEvent): void;
  registry: { all(): readonly Tool[] };
  catalogue: {
    visibleTo(principal: Principal): readonly Tool[];
    listings(tools: readonly Tool[], principal: Principal): Promise<ToolListing[]>;
  };
  find: {
    discover(server: string | null, principal: Principal, patience: { waitMs?: number }): Promise<void>;
  };
  /** Once `loaded` is done, `withoutHeld` knows about all that is listed. */
  quality: { loaded(): Promise<void>; withoutHeld(tools: readonly Tool[]): readonly Tool[] };
  servers: { status(): readonly ServerStatus[]; session(name: string): Session | null };
  grants: { maySeeServer(principal: Principal, server: string): boolean };
};

/** Loaded with the first search; what is indexed once serves everybody, and each sees their own of it. */
export function createSearchWhenNeeded(
  { embed }: { embed?: Embed },
  parts: SearchParts,
): Pick<Plane, "search" | "recommend"> {
  const { config, defaultPrincipal, registry, catalogue, find, quality } = parts;
  const loaded = once(async () => {
    const [{ createSearch }, { recommend }] = await Promise.all([import("./search.ts"), import("./recommend.ts")]);
    return { search: createSearch({ embed, synonyms: () => config().search.synonyms }), recommend };
  });
  const serverText = createServerText(config, parts.servers.session);
  const prepare = async (server: string | null, principal: Principal, waitMs = usualPatienceMs) => {
    const isOne = server !== null && !/[*?]/.test(server);
    await find.discover(isOne ? server : null, principal, { waitMs });
    await quality.loaded();
    const { search, recommend } = await loaded();
    search.update(registry.all(), serverText());
    // Tools of our own are always at hand, and what is held back is not for models to read.
    const visible = quality.withoutHeld(withoutBuiltin(catalogue.visibleTo(principal)));
    return { search, recommend, visible };
  };

  return {
    async search(request, options = {}) {
      const { principal = defaultPrincipal, face, waitMs, only, session, orWords = false } = options;
      requireScope(principal, "read", "search for tools");
      const asked = parseSearch(request);
      const { search, visible: all } = await prepare(asked.server, principal, waitMs);
      const visible = only ? all.filter(only) : all;
      const { summaryDescriptionLimit: summaryLimit, maxToolsPerSearch } = config().lazy;
      const answer = await search.find(asked, visible, {
        limit: asked.limit ?? maxToolsPerSearch,
        summaryLimit,
        orWords,
      });
      // Somebody who types searches with every letter, and nobody wants to hear of each.
      if (answer.query !== "" && face !== "workbench") {
        const query = redact(answer.query).slice(0, maxInEvent);
        const told = {
          query,
          resultCount: answer.tools.length,
          ...(session === undefined ? {} : { session }),
        };
        parts.emit({ type: "tool.search", ...told });
      }
      const noted = withNotes(answer, [
        describeNoServer(asked.server, visible),
        asked.server === null ? describeSilent(silentFor(principal, parts)) : null,
      ]);
      if (!options.details) return noted;
      const names = namesOf(visible);
      const found = noted.tools.flatMap(({ name }) => names.get(name) ?? []);
      const whole = new Map((await catalogue.listings(found, principal)).map((listing) => [listing.name, listing]));
      return {
        ...noted,
        tools: noted.tools.map((one) => ({ ...one, ...withoutUndefined({ tool: whole.get(one.name) }) })),
      };
    },
    async recommend(task, { limit = maxRecommended, principal = defaultPrincipal, waitMs } = {}) {
      requireScope(principal, "read", "search for tools");
      const options = { limit: readLimit(limit, maxRecommended) };
      const text = readText(task, "task");
      if (text === "") throw new PlaneError("USAGE", "Say what the task is.", { data: { parameter: "task" } });
      const { search, recommend, visible } = await prepare(null, principal, waitMs);
      const summaryLimit = config().lazy.summaryDescriptionLimit;
      return recommend(text, search.rank(text, visible, recommendedFrom), { ...options, summaryLimit });
    },
  };
}

const knownOthers = new WeakMap<readonly Tool[], readonly Tool[]>();

/** What is known of a list is kept with it, so a list that is the same stays the same object. */
function withoutBuiltin(tools: readonly Tool[]): readonly Tool[] {
  const others = knownOthers.get(tools) ?? tools.filter(({ source }) => source !== "builtin");
  knownOthers.set(tools, others);
  return others;
}

const knownNames = new WeakMap<readonly Tool[], ReadonlyMap<string, Tool>>();

/** The same list is read once. */
function namesOf(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const names = knownNames.get(tools) ?? new Map(tools.map((tool) => [tool.name, tool]));
  knownNames.set(tools, names);
  return names;
}

function withNotes(answer: SearchAnswer, notes: readonly (string | null)[]): SearchAnswer {
  const all = [answer.note ?? null, ...notes].filter((note) => note !== null);
  return all.length === 0 ? answer : { ...answer, note: all.join(" ") };
}

function describeNoServer(server: string | null, visible: readonly Tool[]): string | null {
  if (server === null || !/[*?]/.test(server)) return null;
  if (visible.some(({ id }) => id.server !== null && matchesGlob(server, id.server))) return null;
  const names = [...new Set(visible.flatMap(({ id }) => id.server ?? []))].sort();
  const there = names.length === 0 ? "No server has tools for you." : `There are ${list(names)}.`;
  return `No server with tools fits '${shorten(server)}'. ${there}`;
}

/** Servers that somebody may use and that have listed nothing, because they could not. */
function silentFor(principal: Principal, { servers, grants }: SearchParts): string[] {
  const silent = servers.status().filter(({ error, tools }) => error !== null && tools === 0);
  return silent.map(({ name }) => name).filter((name) => grants.maySeeServer(principal, name));
}

function describeSilent(servers: readonly string[]): string | null {
  if (servers.length === 0) return null;
  return `Not searched, because not available: ${list(servers)}.`;
}

function list(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
