import type { LearningSearch, SearchPorts } from "@toolplane/core/catalogue";
import { once } from "@toolplane/core/lib/async/once";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { shorten } from "@toolplane/core/lib/text/cut-text";
import { matchesGlob } from "@toolplane/core/lib/text/glob";
import { redact } from "@toolplane/core/lib/text/redact";
import {
  type ParsedSearch,
  parseSearch,
  readLimit,
  readQueryText,
} from "@toolplane/core/model/catalogue/search";
import type { SearchAnswer } from "@toolplane/core/model/catalogue/search-schema";
import type { Tool } from "@toolplane/core/model/catalogue/tool";
import { isForModels } from "@toolplane/core/model/catalogue/tool-page";
import type { Config } from "@toolplane/core/model/config/config";
import { PlaneError } from "@toolplane/core/model/errors";
import { type Principal, requireScope } from "@toolplane/core/model/principal";
import type { Session } from "@toolplane/core/protocol/session";
import type { Embedder } from "./own-vectors.ts";
import type { ServerText } from "./tool-index.ts";
import type { Learned } from "./tool-search.ts";

/** More of a server's own text would dilute what its tools say. */
const maxServerText = 2_000;

/** The configured description of each server, its title and its instructions. A new function after each change. */
function createServerText(
  config: () => Config,
  session: (server: string) => Session | null,
): () => ServerText {
  type Cached = { configuration: Config; texts: Map<string, string>; serverText: ServerText };
  let cached: Cached | undefined;
  return () => {
    const configuration = config();
    const previousTexts =
      cached?.configuration === configuration ? cached.texts : new Map<string, string>();
    const textOf = (name: string, description: string) => {
      const live = session(name);
      if (live) return `${description}\n${serverText(live)}`;
      return previousTexts.get(name) ?? description;
    };
    const texts = new Map(
      Object.entries(configuration.servers).map(([name, { description = "" }]) => [
        name,
        textOf(name, description),
      ]),
    );
    const isSame =
      cached?.configuration === configuration &&
      [...texts].every(([name, text]) => previousTexts.get(name) === text);
    if (!cached || !isSame)
      cached = { configuration, texts, serverText: (server) => texts.get(server ?? "") ?? "" };
    return cached.serverText;
  };
}

function serverText({ serverInfo, instructions }: Session): string {
  const title = typeof serverInfo?.title === "string" ? serverInfo.title : "";
  return `${title}\n${instructions ?? ""}`.slice(0, maxServerText);
}

/** Servers that list their tools later are searched the next time. */
const defaultWaitMs = 5_000;
const maxInEvent = 200;
const maxRecommended = 15;
const recommendedFrom = 50;
const maxNamed = 3;

const loadMeaning = async () => (await import("./meaning.ts")).loadMeaning();

/** One index serves all callers; each sees its own tools in it. */
export function createSearchVerbs(ports: SearchPorts): LearningSearch {
  const { config, registry, listings, discover, quality, recorder } = ports;
  const loadSearch = once(async () => {
    const [{ createSearch }, { recommend }] = await Promise.all([
      import("./tool-search.ts"),
      import("./answer.ts"),
    ]);
    const vectorStore = {
      store: recorder.store,
      onFailed: (model: string, reason: string) =>
        recorder.emit({ type: "search.fallback", model, reason }),
    };
    const synonyms = () => config().search.synonyms;
    return {
      search: createSearch({ embedder: createEmbedder(ports), vectorStore, loadMeaning, synonyms }),
      recommend,
    };
  });
  /** Loaded where a caller has skills. */
  const skillSearch = once(async () => {
    const [{ createSearch }, { createSkillSearch }] = await Promise.all([
      import("./tool-search.ts"),
      import("./skill-search.ts"),
    ]);
    return createSkillSearch(
      createSearch({ loadMeaning, synonyms: () => config().search.synonyms }),
    );
  });
  const findSkills = async (
    parsedSearch: ParsedSearch,
    principal: Principal,
    servers: ReadonlySet<string> | undefined,
  ) => {
    const callerSkills = await ports.skills(principal);
    const skills = callerSkills.filter(({ server }) => servers?.has(server) ?? true);
    if (skills.length === 0) return [];
    return (await skillSearch())(parsedSearch, skills, {
      summaryLimit: config().lazy.summaryDescriptionLimit,
    });
  };
  const learning = createLearningPort(config, recorder);
  const serverText = createServerText(config, (server) => ports.servers().session(server));
  const prepare = async (server: string | null, principal: Principal, waitMs = defaultWaitMs) => {
    const isOne = server !== null && !/[*?]/.test(server);
    await discover(isOne ? server : null, principal, { waitMs });
    await quality.loaded();
    const { search, recommend } = await loadSearch();
    const unreadTools = await search.updateSoon(registry.all(), serverText());
    // Built-in tools are always at hand, and models must not read quarantined ones.
    const visible = quality.withoutHeld(withoutBuiltin(listings.visibleTo(principal)));
    return { search, recommend, visible, unreadTools };
  };
  const withDetails = async (
    answer: SearchAnswer,
    names: ReadonlyMap<string, Tool>,
    principal: Principal,
  ) => {
    const foundTools = answer.tools.flatMap(({ name }) => names.get(name) ?? []);
    const details = new Map(
      (await listings.listings(foundTools, principal)).map((listing) => [listing.name, listing]),
    );
    const tools = answer.tools.map((foundTool) => ({
      ...foundTool,
      ...withoutUndefined({ tool: details.get(foundTool.name) }),
    }));
    return { ...answer, tools };
  };

  return {
    async search(request, options) {
      const { principal, face, waitMs, only, session, orWords = false } = options;
      requireScope(principal, "read", "search for tools");
      const parsedSearch = parseSearch(request);
      const prepared = await prepare(parsedSearch.server, principal, waitMs);
      const { search, unreadTools } = prepared;
      const isByModel = face === "mcp" || face === "agent";
      const shown = isByModel ? forModels(prepared.visible) : prepared.visible;
      const visible = only ? shown.filter(only) : shown;
      const { summaryDescriptionLimit: summaryLimit, maxToolsPerSearch } = config().lazy;
      const limit = parsedSearch.limit ?? maxToolsPerSearch;
      const learned = await learning.learned(principal.user);
      const toolAnswer = await search.find(parsedSearch, visible, {
        limit,
        summaryLimit,
        orWords,
        learned,
      });
      // What cannot be listed now is found the next time.
      const skills = await findSkills(parsedSearch, principal, options.skillsOf).catch(() => []);
      const tools = [...(await ports.rank(toolAnswer.query, toolAnswer.tools))];
      const answer: SearchAnswer = { ...toolAnswer, tools };
      if (skills.length > 0) answer.skills = skills;
      // The workbench searches with every letter typed.
      if (answer.query !== "" && face !== "workbench") {
        learning.searched(principal.user, parsedSearch.queries, answer);
        const query = redact(answer.query).slice(0, maxInEvent);
        const resultCount = answer.tools.length;
        recorder.emit({
          type: "tool.search",
          query,
          resultCount,
          ...withoutUndefined({ session }),
        });
      }
      const noted = withNotes(answer, [
        describeUnknownServer(parsedSearch.server, visible),
        unreadTools > 0
          ? `${unreadTools} tools are still being indexed and were not searched.`
          : null,
        parsedSearch.server === null
          ? describeUnavailable(unavailableServers(principal, ports))
          : null,
      ]);
      return options.details ? withDetails(noted, namesOf(visible), principal) : noted;
    },
    async recommend(task, { limit = maxRecommended, principal, waitMs }) {
      requireScope(principal, "read", "search for tools");
      const options = { limit: readLimit(limit, maxRecommended) };
      const text = readQueryText(task, "task");
      if (text === "")
        throw new PlaneError("USAGE", "Say what the task is.", { data: { parameter: "task" } });
      const { search, recommend, visible } = await prepare(null, principal, waitMs);
      const summaryLimit = config().lazy.summaryDescriptionLimit;
      return recommend(text, search.rank(text, visible, recommendedFrom), {
        ...options,
        summaryLimit,
      });
    },
    async evaluateSearch(cases, { principal, waitMs }) {
      requireScope(principal, "read", "search for tools");
      const { search, visible } = await prepare(null, principal, waitMs);
      const { evaluate } = await import("./evaluate.ts");
      const rank = (query: string, count: number, isWordsOnly: boolean) =>
        search.rank(query, visible, count, { isWordsOnly });
      return evaluate(cases, visible.length, (name) => search.named(name, visible), rank);
    },
    async forgetSearches({ principal }) {
      requireScope(principal, "read", "search for tools");
      return { forgotten: await learning.forget(principal.user) };
    },
    called: learning.called,
  };
}

/** The function of the program, else the configured model; the same value until it changes. */
function createEmbedder({ config, embed, embedWith }: SearchPorts): () => Embedder | null {
  let programEmbedder: Embedder | null = null;
  let modelEmbedder: Embedder | null = null;
  return () => {
    const programEmbed = embed();
    if (programEmbed !== undefined) {
      if (programEmbedder?.embed !== programEmbed)
        programEmbedder = { id: "embed", name: "embed", embed: programEmbed, isKept: false };
      return programEmbedder;
    }
    const { search, models } = config();
    const name = search.embeddings?.model;
    if (name === undefined) return null;
    const { baseURL = "", model = "" } = models[name] ?? {};
    const id = `${name} ${baseURL} ${model}`;
    if (modelEmbedder?.id !== id)
      modelEmbedder = { id, name, embed: (texts) => embedWith(name, texts), isKept: true };
    return modelEmbedder;
  };
}

/** Learns from use where the configuration allows it, by user; never for callers without a name. */
function createLearningPort(config: () => Config, recorder: SearchPorts["recorder"]) {
  const loadLearning = once(async () =>
    (await import("./learning.ts")).createLearning({
      store: recorder.store,
      configuration: () => recorder.configuration()?.own.join(" ") ?? "",
    }),
  );
  const forgotten = new Set<string>();
  const isOn = () => config().search.learn;
  /** What is not written is not learned; the search goes on. */
  const inBackground = (work: () => Promise<unknown>) => void work().catch(() => undefined);
  return {
    called: async (user: string, tool: string) => (await loadLearning()).called(user, tool),
    async learned(user: string | null): Promise<Learned | undefined> {
      if (user === null) return undefined;
      if (isOn()) return (await loadLearning()).learned(user).catch(() => undefined);
      // Switched off: what was learned before goes.
      if (!forgotten.has(user)) inBackground(async () => (await loadLearning()).forget(user));
      forgotten.add(user);
      return undefined;
    },
    searched(user: string | null, queries: readonly string[], { tools, next }: SearchAnswer): void {
      if (user === null || !isOn()) return;
      forgotten.delete(user);
      inBackground(async () =>
        (await loadLearning()).searched(user, queries, [...tools.map(({ name }) => name), ...next]),
      );
    },
    forget: async (user: string | null) =>
      user === null ? 0 : (await loadLearning()).forget(user),
  };
}

/** The same list where it has nothing else. */
const forModels = (tools: readonly Tool[]) =>
  tools.every(isForModels) ? tools : tools.filter(isForModels);

/** Remembers what is derived from a list, so that the same list gives the same object. */
function perList<T>(derive: (tools: readonly Tool[]) => T): (tools: readonly Tool[]) => T {
  const derived = new WeakMap<readonly Tool[], { value: T }>();
  return (tools) => {
    const { value } = derived.get(tools) ?? { value: derive(tools) };
    derived.set(tools, { value });
    return value;
  };
}

const withoutBuiltin = perList((tools): readonly Tool[] =>
  tools.filter(({ source }) => source !== "builtin"),
);
const namesOf = perList((tools) => new Map(tools.map((tool) => [tool.name, tool])));

function withNotes(answer: SearchAnswer, notes: readonly (string | null)[]): SearchAnswer {
  const texts = [answer.note ?? null, ...notes].filter((note) => note !== null);
  return texts.length === 0 ? answer : { ...answer, note: texts.join(" ") };
}

function describeUnknownServer(server: string | null, visible: readonly Tool[]): string | null {
  if (server === null || !/[*?]/.test(server)) return null;
  if (visible.some(({ id }) => id.server !== null && matchesGlob(server, id.server))) return null;
  const names = [...new Set(visible.flatMap(({ id }) => id.server ?? []))].sort();
  const noMatch = `No server matches '${shorten(server)}'.`;
  if (names.length === 0) return `${noMatch} No server has tools for you.`;
  return `${noMatch} Servers with tools: ${listNames(names)}.`;
}

function unavailableServers(principal: Principal, { servers, grants }: SearchPorts): string[] {
  const unavailable = servers()
    .status()
    .filter(({ error, tools }) => error !== null && tools === 0);
  return unavailable.map(({ name }) => name).filter((name) => grants.maySeeServer(principal, name));
}

function describeUnavailable(servers: readonly string[]): string | null {
  if (servers.length === 0) return null;
  return `Not searched, because not available: ${listNames(servers)}.`;
}

function listNames(names: readonly string[]): string {
  const more = names.length - maxNamed;
  const shown = names.slice(0, maxNamed).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
