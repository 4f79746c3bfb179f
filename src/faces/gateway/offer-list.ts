import { pause } from "../../lib/pause.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { Listed } from "../../model/server-verbs.ts";
import { createToolNameIndex } from "../../model/tool-name.ts";
import { expandsTo } from "./uri-template.ts";
import type { View } from "./view.ts";

/** Whoever has not listed by then is left out this time; that it has is told later. */
const patienceMs = 2_000;

/** Something a server offers, under the name that our clients know it by. */
export type Offer = { shown: string; server: string; item: Listed };

export type OfferList = {
  prompts(): Promise<Offer[]>;
  resources(): Promise<Offer[]>;
  templates(): Promise<Offer[]>;
  /** Which server has a prompt of this name, and what it calls it. */
  findPrompt(shown: string): Promise<{ server: string; name: string } | undefined>;
  /** Which servers may have a resource of this address, the likeliest first, and what they call it. */
  findResource(shown: string): Promise<{ server: string; uri: string }[]>;
  /** What a template is to the server that lists it. */
  findTemplate(shown: string): Promise<{ server: string; uri: string } | undefined>;
};

type Lister = (server: string, caller: { principal: Principal }) => Promise<Listed[]>;

/** The prompts and resources that one caller sees in one view. */
export function createOfferList(
  plane: Plane,
  principal: Principal,
  view: View,
  servers: () => Promise<ReadonlySet<string>>,
): OfferList {
  const caller = { principal };

  async function list(lister: Lister): Promise<Listed[]> {
    const late = pause(patienceMs, { isBackground: true }).then((): Listed[] => []);
    const asked = [...(await servers())].map((server) =>
      Promise.race([lister(server, caller).catch(() => []), late]),
    );
    return (await Promise.all(asked)).flat();
  }

  const prompts = async () => namePrompts(await list(plane.prompts), view.names);
  const resources = async () => addressAll(await list(plane.resources), "uri");
  const templates = async () => addressAll(await list(plane.resourceTemplates), "uriTemplate");

  return {
    prompts,
    resources,
    templates,
    async findPrompt(shown) {
      const all = await prompts();
      const found = all.find((offer) => offer.shown === shown) ?? onlyOne(all, shown);
      return found && { server: found.server, name: String(found.item.name) };
    },
    async findResource(shown) {
      const named = await readAddress(shown, servers);
      if (named) return [named];
      const [listed, patterns] = await Promise.all([resources(), templates()]);
      const exact = listed.find((offer) => offer.shown === shown);
      if (exact) return [{ server: exact.server, uri: shown }];
      const matching = patterns.filter(({ item }) => expandsTo(String(item.uriTemplate), shown));
      // Results link to resources that no list has; only who lists others of the kind can know them.
      const alike = [...listed, ...patterns].filter((offer) => schemeOf(offer.shown) === schemeOf(shown));
      const likely = matching.length > 0 ? matching : alike;
      return [...new Set(likely.map(({ server }) => server))].map((server) => ({ server, uri: shown }));
    },
    async findTemplate(shown) {
      const found = (await templates()).find((offer) => offer.shown === shown);
      return found && { server: found.server, uri: String(found.item.uriTemplate) };
    },
  };
}

function namePrompts(items: readonly Listed[], names: View["names"]): Offer[] {
  const ids = items.map(({ server, name }) => ({ server, tool: String(name) }));
  const index = createToolNameIndex(ids);
  const owners = Map.groupBy(ids, ({ tool }) => tool);
  return items.map((item, at) => {
    const id = ids[at] as { server: string; tool: string };
    const isBare = names === "bare" && owners.get(id.tool)?.length === 1;
    return { shown: isBare ? id.tool : index.modelName(id), server: id.server, item };
  });
}

function onlyOne(offers: readonly Offer[], name: string): Offer | undefined {
  const [first, ...others] = offers.filter(({ item }) => item.name === name);
  return others.length === 0 ? first : undefined;
}

const ownScheme = "toolplane://";

/** Addresses stay as they are. Where two servers have the same, the second is reached through one of ours. */
function addressAll(items: readonly Listed[], key: "uri" | "uriTemplate"): Offer[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const address = String(item[key]);
    const shown = taken.has(address) ? `${ownScheme}${encodeURIComponent(item.server)}/${address}` : address;
    taken.add(address);
    return { shown, server: item.server, item };
  });
}

async function readAddress(
  shown: string,
  servers: () => Promise<ReadonlySet<string>>,
): Promise<{ server: string; uri: string } | undefined> {
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
