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

/** Long enough for lists that are known already, too short for a server. */
const knownListsMs = 1;
/** How long the steps of a search wait: for known lists, for quick servers, for all. */
const searchMs = [knownListsMs, 500, firstWaitMs];

/** `shownAs` is the name or the address that our clients know. */
type Offer = { shownAs: string; server: string; item: Listed };

/** How long to wait for servers that have not listed it yet. */
type Wait = "short" | "long";

export type OfferList = ReturnType<typeof createOfferList>;
type OfferWaits = Record<OfferKind, FirstWait<Listed>>;

/** First waits for lists, shared by all callers. */
export function createOfferWaits(plane: Pick<Plane, "servers">): OfferWaits {
  const waitFor = (kind: OfferKind) =>
    createFirstWait<Listed>(plane, ({ offers }) => offers[kind] === null);
  return {
    prompts: waitFor("prompts"),
    resources: waitFor("resources"),
    resourceTemplates: waitFor("resourceTemplates"),
  };
}

/** The prompts and resources of one caller in one view. */
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

  async function lookForPrompt(shownName: string, waitMs: number) {
    const offers = show("prompts", await ask("prompts", waitMs));
    const offer =
      offers.find(({ shownAs }) => shownAs === shownName) ?? onlyNamed(offers, shownName);
    return offer && { server: offer.server, name: String(offer.item.name) };
  }

  return {
    async list(kind: OfferKind, wait: Wait = "long"): Promise<Offer[]> {
      if (wait === "short") return show(kind, await ask(kind, defaultWaitMs));
      return show(kind, await firstWait[kind](principal, (waitMs) => ask(kind, waitMs)));
    },
    /** The server of a prompt, and its name there. */
    async findPrompt(shownName: string): Promise<{ server: string; name: string } | undefined> {
      const listedPrompt = await lookForPrompt(shownName, knownListsMs);
      if (listedPrompt) return listedPrompt;
      // First the servers that the name suggests.
      const likely = [...(await servers())].filter((server) => mayBelongTo(server, shownName));
      await Promise.all(likely.map((server) => prompts.list(server, { principal, face: "mcp" })));
      return search((waitMs) => lookForPrompt(shownName, waitMs));
    },
    /** Servers that may have the resource, the likeliest first, with its address there. */
    async findResource(
      shownAddress: string,
      { pageServers = [] }: { pageServers?: readonly string[] } = {},
    ): Promise<{ server: string; uri: string }[]> {
      const scopedResource = await readAddress(shownAddress, servers);
      if (scopedResource) return [scopedResource];
      const owners = await search(async (waitMs) => {
        const [listed, patterns] = await Promise.all([
          ask("resources", waitMs),
          ask("resourceTemplates", waitMs),
        ]);
        return ownersOf(shownAddress, {
          resources: show("resources", listed),
          templates: show("resourceTemplates", patterns),
          mayGuess: waitMs > knownListsMs,
        });
      });
      // A page reads its own resources by their address at the page's server.
      const inView = await servers();
      const pageOwners = isPageAddress(shownAddress)
        ? pageServers.filter((server) => inView.has(server))
        : [];
      return [...new Set([...pageOwners, ...(owners ?? [])])].map((server) => ({
        server,
        uri: shownAddress,
      }));
    },
    /** How clients know these addresses of a server, as far as lists are known: an address that is its alone stays. */
    async shownAs(server: string, addresses: readonly string[]): Promise<Map<string, string>> {
      const offers = show(
        "resources",
        addresses.every(isScoped) ? [] : await ask("resources", knownListsMs),
      );
      const shownAddresses = new Set(offers.map((offer) => offer.shownAs));
      const ofServer = offers.filter((offer) => offer.server === server);
      const shownByAddress = new Map(ofServer.map((offer) => [offer.item.uri, offer.shownAs]));
      const shownAs = (address: string): string => {
        if (isScoped(address)) return showScoped(server, address);
        const shownAddress = shownByAddress.get(address);
        if (shownAddress !== undefined) return shownAddress;
        if (!shownAddresses.has(address)) return address;
        return underName(server, address);
      };
      return new Map(addresses.map((address) => [address, shownAs(address)]));
    },
    /** The server's own address of a template. */
    async findTemplate(shownAddress: string): Promise<{ server: string; uri: string } | undefined> {
      const template = await search(async (waitMs) => {
        const patterns = show("resourceTemplates", await ask("resourceTemplates", waitMs));
        return patterns.find(({ shownAs }) => shownAs === shownAddress);
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
    return { shownAs: isBare ? id.tool : index.modelName(id), server: id.server, item };
  });
}

function onlyNamed(offers: readonly Offer[], name: string): Offer | undefined {
  const [first, ...duplicates] = offers.filter(({ item }) => item.name === name);
  return duplicates.length === 0 ? first : undefined;
}

type OfferedResources = {
  resources: readonly Offer[];
  templates: readonly Offer[];
  mayGuess: boolean;
};

/** The servers that may have a resource. Undefined where none is known. */
function ownersOf(
  shownAddress: string,
  { resources, templates, mayGuess }: OfferedResources,
): string[] | undefined {
  const exact = resources.find(({ shownAs }) => shownAs === shownAddress);
  if (exact) return [exact.server];
  const alsoNamed = resources.filter(
    ({ item }) => isScoped(shownAddress) && item.uri === shownAddress,
  );
  if (alsoNamed.length > 0) return alsoNamed.map(({ server }) => server);
  // A variable of a template stands for any text.
  const globOf = ({ item }: Offer) => String(item.uriTemplate).replaceAll(/\{[^{}]*\}/g, "*");
  const matching = templates.filter((offer) => matchesGlob(globOf(offer), shownAddress));
  // Results link to unlisted resources; only servers that list others of the scheme can know them.
  const hasSameScheme = ({ shownAs }: Offer) => schemeOf(shownAs) === schemeOf(shownAddress);
  if (mayGuess && matching.length === 0)
    matching.push(...[...resources, ...templates].filter(hasSameScheme));
  const owners = new Set(matching.map(({ server }) => server));
  return owners.size === 0 ? undefined : [...owners];
}

const ownScheme = "toolplane://";
const underName = (server: string, address: string) =>
  `${ownScheme}${encodeURIComponent(server)}/${address}`;

/** Servers' addresses stay. The second of two equal ones gets an address of ours, and so do pages and files of skills. */
function addressAll(items: readonly Listed[], key: "uri" | "uriTemplate"): Offer[] {
  const shownAddresses = new Set<string>();
  return items.map((item) => {
    const address = String(item[key]);
    if (isScoped(address))
      return { shownAs: showScoped(item.server, address), server: item.server, item };
    const shownAs = shownAddresses.has(address) ? underName(item.server, address) : address;
    shownAddresses.add(address);
    return { shownAs, server: item.server, item };
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
