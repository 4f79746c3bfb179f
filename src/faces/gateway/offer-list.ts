import { matchesGlob } from "../../lib/text/glob.ts";
import { createToolNameIndex, mayBelongTo } from "../../model/catalogue/tool-name.ts";
import { isPageAddress } from "../../model/catalogue/tool-page.ts";
import type { Plane } from "../../model/plane.ts";
import type { Listed } from "../../model/plane-tools.ts";
import type { Principal } from "../../model/principal.ts";
import type { OfferKind } from "../../model/servers/server.ts";
import { isScoped, readScoped, showScoped } from "./apps/addresses.ts";
import { createFirstWait, defaultWaitMs, type FirstWait, firstWaitMs } from "./tool-list.ts";
import type { View } from "./view.ts";

/** Waits of a search: known lists, quick servers, all. */
const searchMs = [1, 500, firstWaitMs];

/** Under the name that our clients know. */
type Offer = { shown: string; server: string; item: Listed };

/** How long to wait for servers that have not listed it yet. */
type Wait = "short" | "long";

export type OfferList = ReturnType<typeof createOfferList>;
type OfferWaits = Record<OfferKind, FirstWait<Listed>>;

/** Shared by all callers. */
export function createOfferWaits(plane: Pick<Plane, "servers">): OfferWaits {
  const waitFor = (kind: OfferKind) =>
    createFirstWait<Listed>(plane, ({ offers }) => offers[kind] === null);
  return {
    prompts: waitFor("prompts"),
    resources: waitFor("resources"),
    resourceTemplates: waitFor("resourceTemplates"),
  };
}

/** Of one caller in one view. */
export function createOfferList(
  plane: Plane,
  principal: Principal,
  view: View,
  servers: () => Promise<ReadonlySet<string>>,
  firstWait: OfferWaits,
) {
  const { prompts, resources } = plane;
  const listings = {
    prompts: prompts.list,
    resources: resources.list,
    resourceTemplates: resources.templates,
  };

  async function ask(kind: OfferKind, waitMs: number): Promise<Listed[]> {
    const [inView, listed] = await Promise.all([
      servers(),
      listings[kind](undefined, { principal, face: "mcp", waitMs }),
    ]);
    return listed.filter(({ server }) => inView.has(server));
  }

  function show(kind: OfferKind, items: readonly Listed[]): Offer[] {
    if (kind === "prompts") return namePrompts(items, view.names);
    return addressAll(items, kind === "resources" ? "uri" : "uriTemplate");
  }

  async function search<T>(
    look: (waitMs: number) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    for (const waitMs of searchMs) {
      const answer = await look(waitMs);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  async function lookForPrompt(shown: string, waitMs: number) {
    const offers = show("prompts", await ask("prompts", waitMs));
    const offer = offers.find((offer) => offer.shown === shown) ?? onlyNamed(offers, shown);
    return offer && { server: offer.server, name: String(offer.item.name) };
  }

  return {
    async list(kind: OfferKind, wait: Wait = "long"): Promise<Offer[]> {
      if (wait === "short") return show(kind, await ask(kind, defaultWaitMs));
      return show(kind, await firstWait[kind](principal, (waitMs) => ask(kind, waitMs)));
    },
    /** The server of a prompt, and its name there. */
    async findPrompt(shown: string): Promise<{ server: string; name: string } | undefined> {
      const listedPrompt = await lookForPrompt(shown, 1);
      if (listedPrompt) return listedPrompt;
      // First the servers that the name suggests.
      const likely = [...(await servers())].filter((server) => mayBelongTo(server, shown));
      await Promise.all(likely.map((server) => prompts.list(server, { principal, face: "mcp" })));
      return search((waitMs) => lookForPrompt(shown, waitMs));
    },
    /** Servers that may have it, the likeliest first, with its address there; `near` are those of the client's pages. */
    async findResource(
      shown: string,
      near: readonly string[] = [],
    ): Promise<{ server: string; uri: string }[]> {
      const named = await readAddress(shown, servers);
      if (named) return [named];
      const owners = await search(async (waitMs) => {
        const [listed, patterns] = await Promise.all([
          ask("resources", waitMs),
          ask("resourceTemplates", waitMs),
        ]);
        const isFirst = waitMs === searchMs[0];
        return ownersOf(
          shown,
          show("resources", listed),
          show("resourceTemplates", patterns),
          !isFirst,
        );
      });
      // A page reads what belongs to it by the address at its server.
      const inView = await servers();
      const pageServers = isPageAddress(shown) ? near.filter((server) => inView.has(server)) : [];
      return [...new Set([...pageServers, ...(owners ?? [])])].map((server) => ({
        server,
        uri: shown,
      }));
    },
    /** How clients know these addresses of a server, as far as lists are known: an address that is its alone stays. */
    async shownAs(server: string, addresses: readonly string[]): Promise<Map<string, string>> {
      const offers = show("resources", addresses.every(isScoped) ? [] : await ask("resources", 1));
      const shownAddresses = new Set(offers.map(({ shown }) => shown));
      const ofServer = offers.filter((offer) => offer.server === server);
      const shownByAddress = new Map(ofServer.map(({ item, shown }) => [item.uri, shown]));
      const shownAs = (address: string): string => {
        if (isScoped(address)) return showScoped(server, address);
        const shown = shownByAddress.get(address);
        if (shown !== undefined) return shown;
        if (!shownAddresses.has(address)) return address;
        return underName(server, address);
      };
      return new Map(addresses.map((address) => [address, shownAs(address)]));
    },
    /** The server's own address of a template. */
    async findTemplate(shown: string): Promise<{ server: string; uri: string } | undefined> {
      const template = await search(async (waitMs) => {
        const patterns = show("resourceTemplates", await ask("resourceTemplates", waitMs));
        return patterns.find((offer) => offer.shown === shown);
      });
      return template && { server: template.server, uri: String(template.item.uriTemplate) };
    },
  };
}

function namePrompts(items: readonly Listed[], names: View["names"]): Offer[] {
  const ids = items.map(({ server, name }) => ({ server, tool: String(name) }));
  const index = createToolNameIndex(ids);
  const owners = Map.groupBy(ids, ({ tool }) => tool);
  return items.map((item, position) => {
    const id = ids[position] as { server: string; tool: string };
    const isBare = names === "bare" && owners.get(id.tool)?.length === 1;
    return { shown: isBare ? id.tool : index.modelName(id), server: id.server, item };
  });
}

function onlyNamed(offers: readonly Offer[], name: string): Offer | undefined {
  const [first, ...duplicates] = offers.filter(({ item }) => item.name === name);
  return duplicates.length === 0 ? first : undefined;
}

/** Undefined where none is known. */
function ownersOf(
  shown: string,
  listed: readonly Offer[],
  patterns: readonly Offer[],
  mayGuess: boolean,
): string[] | undefined {
  const exact = listed.find((offer) => offer.shown === shown);
  if (exact) return [exact.server];
  const alsoNamed = listed.filter(({ item }) => isScoped(shown) && item.uri === shown);
  if (alsoNamed.length > 0) return alsoNamed.map(({ server }) => server);
  // Values are not checked.
  const globOf = ({ item }: Offer) => String(item.uriTemplate).replaceAll(/\{[^{}]*\}/g, "*");
  const matching = patterns.filter((offer) => matchesGlob(globOf(offer), shown));
  // Results link to unlisted resources; only servers that list others of the scheme can know them.
  const isAlike = (offer: Offer) => schemeOf(offer.shown) === schemeOf(shown);
  if (mayGuess && matching.length === 0) matching.push(...[...listed, ...patterns].filter(isAlike));
  const owners = new Set(matching.map(({ server }) => server));
  return owners.size === 0 ? undefined : [...owners];
}

const ownScheme = "toolplane://";
const underName = (server: string, address: string) =>
  `${ownScheme}${encodeURIComponent(server)}/${address}`;

/** Addresses stay. The second of two equal ones is reached through one of ours, and so is every page and every file of a skill. */
function addressAll(items: readonly Listed[], key: "uri" | "uriTemplate"): Offer[] {
  const shownAddresses = new Set<string>();
  return items.map((item) => {
    const address = String(item[key]);
    if (isScoped(address))
      return { shown: showScoped(item.server, address), server: item.server, item };
    const shown = shownAddresses.has(address) ? underName(item.server, address) : address;
    shownAddresses.add(address);
    return { shown, server: item.server, item };
  });
}

async function readAddress(
  shown: string,
  servers: () => Promise<ReadonlySet<string>>,
): Promise<{ server: string; uri: string } | undefined> {
  if (isScoped(shown)) return readScoped(shown, await servers());
  if (!shown.startsWith(ownScheme)) return undefined;
  const slash = shown.indexOf("/", ownScheme.length);
  for (const server of await servers())
    if (shown.slice(ownScheme.length, slash) === encodeURIComponent(server))
      return { server, uri: shown.slice(slash + 1) };
  return undefined;
}

function schemeOf(address: string): string {
  return address.slice(0, address.indexOf(":") + 1);
}
