import { once } from "../../lib/async/once.ts";
import {
  isDirectoryKey,
  type ListOwner,
  listKeysOf,
  listOwnerKey,
} from "../../model/catalogue/list-owner.ts";
import { failOnLevels, qualityThreshold } from "../../model/catalogue/quality.ts";
import type { ClientContext, ToolReview } from "../../model/catalogue/quality-schema.ts";
import type { ProviderSpec, Tool, ToolId } from "../../model/catalogue/tool.ts";
import type { ClientSource } from "../../model/client-context.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError, personHints, quarantineHints } from "../../model/errors.ts";
import type { CataloguePackages } from "../../model/packages.ts";
import type { Plane } from "../../model/plane.ts";
import type { PlaneClients } from "../../model/plane-history.ts";
import type { PlanePins, PlaneTools } from "../../model/plane-tools.ts";
import {
  type Inside,
  type KnownCaller,
  mayDo,
  type Principal,
  requireScope,
} from "../../model/principal.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { ToolListings } from "../tool-listing.ts";
import type { Guard, GuardPorts } from "./guard.ts";
import { type PinnedOfferList, parseOfferName, toolsKey } from "./offers.ts";

export type PlaneQuality = ReturnType<typeof createQuality>;

/** Quarantine of tools by pins and scans. The guard is loaded when the first server has listed its tools. */
export function createQuality(ports: GuardPorts, packages: CataloguePackages) {
  const { config } = ports;
  /** By the keys of lists. */
  const waitingListings = new Map<string, Parameters<Guard["listed"]>>();
  const askedKeys = new Set<string>();
  let guard: Guard | undefined;
  const open = once(async () => {
    const [{ createGuard }, scan] = await Promise.all([import("./guard.ts"), packages.scan()]);
    guard = createGuard(ports, scan);
    for (const listing of waitingListings.values()) guard.listed(...listing);
    for (const key of askedKeys) guard.asked(key);
    return guard;
  });
  /** The lists that a tool of a server stands in. */
  const keysOf = (tool: Tool): readonly string[] => {
    const { server } = tool.id;
    if (server === null) return [];
    const owners = ports.ownersOf?.(tool);
    return owners ? [...owners].map((key) => toolsKey(server, pinnedApart(key, ports))) : [server];
  };
  const heldOf = (tool: Tool): string | null => {
    if (tool.metadata.enabled === false) return whyDisabled(tool);
    for (const key of keysOf(tool)) {
      const reason = guard?.held(key, tool.id.tool) ?? null;
      if (reason !== null) return reason;
    }
    return guard?.heldWritten(tool) ?? null;
  };
  /** After it `review` knows all listed tools. */
  const loaded = async (): Promise<void> => {
    if (isUnguarded(config()) && !guard) return;
    await (await open()).loaded();
  };
  const withoutHeld = createHeldFilter(heldOf);

  return {
    open,
    loaded,
    review(tool: Tool): ToolReview | null {
      if (tool.metadata.enabled === false)
        return { held: whyDisabled(tool), heldFor: "disabled", change: null, findings: [] };
      const reviews = keysOf(tool).map((key) => guard?.review(key, tool.id.tool) ?? null);
      const listed = reviews.find((review) => review?.held) ?? reviews[0];
      const written = guard?.reviewWritten(tool);
      if (!listed || !written) return listed ?? written ?? null;
      // What its server says is repeated in what people made of it.
      if (listed.held !== null || written.held === null) return listed;
      return { ...written, change: listed.change };
    },
    /** By what its server lists for this caller, too. */
    heldProvider(
      { name, config: { server, tool } }: ProviderSpec,
      viewer?: ListViewer,
    ): string | null {
      if (name !== "mcp" || typeof server !== "string" || typeof tool !== "string" || !guard)
        return null;
      const keys = viewer === undefined ? [] : listKeysOf(viewer, ports.home ?? null);
      for (const key of [undefined, ...keys.map((ownerKey) => pinnedApart(ownerKey, ports))]) {
        const reason = guard.held(toolsKey(server, key), tool);
        if (reason !== null) return reason;
      }
      return null;
    },
    isHeld: (tool: Tool) => heldOf(tool) !== null,
    withoutHeld: (tools: readonly Tool[]) => withoutHeld(tools, guard?.heldBy() ?? unguarded),
    /** The same object as long as no other tool is quarantined; null where that is not known. */
    standing(): object | null {
      if (guard) return guard.isLoaded() ? guard.heldBy() : null;
      return isUnguarded(config()) ? config().security : null;
    },
    /** Why each of these offers of a server is quarantined, or null. */
    async judge(
      server: string,
      kind: PinnedOfferList,
      items: readonly unknown[],
      owner?: ListOwner,
    ): Promise<(string | null)[]> {
      if (isUnguarded(config()) && !guard) return items.map(() => null);
      return (await open()).judge(server, kind, items, ownList(owner, ports));
    },
    /** Another plane may have decided about pins. They are read at once, before a call needs them. */
    pinsChanged(): void {
      guard?.pinned.doubt();
      if (guard) void loaded().catch(() => undefined);
    },
    onAsked(key: string): void {
      if (guard) return guard.asked(key);
      askedKeys.add(key);
      // It reads what is listed while other servers are still waited for.
      if (askedKeys.size === 1 && !isUnguarded(config()))
        setImmediate(() => void open().catch(() => undefined));
    },
    /** With `owner`, what the server listed for this user or directory alone. */
    onRemoved(server: string, owner?: ListOwner): void {
      const user = ownList(owner, ports);
      guard?.pinned.forget(server, user);
      for (const key of [...waitingListings.keys()])
        if (key === toolsKey(server, user) || (!owner && waitingListings.get(key)?.[0] === server))
          waitingListings.delete(key);
    },
    onListed(
      server: string,
      definition: ServerDefinition,
      listed: readonly unknown[],
      owner?: ListOwner,
    ): void {
      const user = ownList(owner, ports);
      if (guard) guard.listed(server, definition, listed, user);
      else waitingListings.set(toolsKey(server, user), [server, definition, listed, user]);
      if (user !== undefined) this.onAsked(toolsKey(server, user));
    },
    /** The tool, unless it is quarantined. Who may not use the tool learns nothing about a quarantine. */
    requireTrusted(tool: Tool, { mayUse }: { mayUse: boolean }): Tool | Promise<Tool> {
      const trust = () => requireReleased(tool, mayUse ? heldOf(tool) : null);
      guard?.hurry();
      return guard?.isLoaded() ? trust() : loaded().then(trust);
    },
    async settled(): Promise<void> {
      if (config().security.pinning !== "off" && askedKeys.size > 0) await open();
      await guard?.settled();
    },
  };
}

type ListViewer = Pick<Principal, "user" | "directory">;
type Usual = Pick<GuardPorts, "usualUser" | "home">;

/** The list of the usual user, and that of the usual directory, are those that others are compared with. */
function pinnedApart(
  key: string | null,
  { usualUser = null, home = null }: Usual,
): string | undefined {
  if (key === null || key === usualUser) return undefined;
  if (home === null || !isDirectoryKey(key)) return key;
  const isUsual = [null, usualUser].some((user) => listOwnerKey({ user, directory: home }) === key);
  return isUsual ? undefined : key;
}

function ownList(owner: ListOwner | undefined, usual: Usual): string | undefined {
  return owner === undefined ? undefined : pinnedApart(listOwnerKey(owner), usual);
}

/** A tool of a server has a switch; one that a person wrote is changed where it is written. */
function whyDisabled({ id, name }: Tool): string {
  const isWritten = id.server === null;
  return `it is disabled; ${isWritten ? "set its 'enabled' to true where it is written" : personHints.toolDisabled(name)}`;
}

/** Without a guard only the tools themselves decide. */
const unguarded = {};

function isUnguarded({ security: { pinning, poisoning } }: Pick<Config, "security">): boolean {
  return pinning === "off" && poisoning === "off";
}

function createHeldFilter(heldOf: (tool: Tool) => string | null) {
  const filtered = new WeakMap<readonly Tool[], { state: object; allowed: readonly Tool[] }>();
  return (tools: readonly Tool[], state: object): readonly Tool[] => {
    const previous = filtered.get(tools);
    if (previous?.state === state) return previous.allowed;
    const released = tools.filter((tool) => heldOf(tool) === null);
    const allowed = released.length === tools.length ? tools : released;
    filtered.set(tools, { state, allowed });
    return allowed;
  };
}

function requireReleased(tool: Tool, reason: string | null): Tool {
  if (reason === null) return tool;
  const state = tool.metadata.enabled === false ? "cannot be called" : "is quarantined";
  throw new PlaneError("TOOL_QUARANTINED", `'${tool.name}' ${state}: ${reason}.`, {
    data: {
      tool: tool.name,
      ...(tool.id.server === null ? {} : { server: tool.id.server }),
      personHints: quarantineHints(tool.name),
    },
  });
}

type QualityPorts = GuardPorts & {
  revision(): number;
  listings: Pick<ToolListings, "queryTools" | "toolsOf">;
  tool: Inside<PlaneTools>["get"];
  guard(): Promise<Guard>;
  maySeeServer(principal: Principal, server: string): boolean;
  /** For whom alone a server lists, or undefined where its list is shared. */
  listOwner(server: string, principal: Principal): ListOwner | undefined;
  /** Has servers list what they offer beside tools. */
  listOffers(server: string | undefined, caller: Patient): Promise<void>;
};

type Selection = { server?: string; tool?: string };
type Patient = KnownCaller & { waitMs?: number };

type ClientVerbs = {
  tools: Pick<Inside<PlaneTools>, "countTokens">;
  clients: Pick<Inside<PlaneClients>, "watch">;
};
type QualityVerbs = Inside<Pick<Plane, "stats">> & { pins: Inside<PlanePins> } & Pick<
    ClientVerbs,
    "clients"
  > & {
    tools: Pick<Inside<PlaneTools>, "quality" | "weigh" | "isLazy" | "countTokens">;
  };

/** Quality, cost and pins of definitions. Each verb loads its part on first use. */
export function createQualityVerbs(ports: QualityPorts): QualityVerbs {
  const { config, listings } = ports;
  const clients = createClients(ports);
  const selected = async ({ server, tool }: Selection, caller: Patient) => {
    if (tool === undefined) return listings.toolsOf(server ?? null, caller);
    return [await ports.tool(tool, caller)];
  };
  const weigh = once(async () => {
    const { createWeigh } = await import("./score.ts");
    return createWeigh(() => config().lazy.summaryDescriptionLimit);
  });
  return {
    pins: createPinVerbs(ports, selected),
    clients: clients.verbs.clients,
    tools: {
      ...clients.verbs.tools,
      async quality(options = {}, caller) {
        const {
          server = null,
          tool,
          threshold = qualityThreshold,
          requireExamples = false,
          failOn = "high",
        } = options;
        const isShare = typeof threshold === "number" && threshold >= 0 && threshold <= 100;
        requireOption("threshold", "a number from 0 to 100", isShare);
        requireOption("failOn", `one of ${failOnLevels.join(", ")}`, failOnLevels.includes(failOn));
        const { reportQuality } = await import("./score.ts");
        const choices = { threshold, failOn, requireExamples };
        if (tool !== undefined) return reportQuality([await ports.tool(tool, caller)], choices);
        const listed = await listings.queryTools({ server, includeProviderHealth: false }, caller);
        return reportQuality(listed.tools, choices);
      },
      weigh: async (tools) => (await weigh())(tools),
      async isLazy({ tools, ...caller }) {
        const { lazy } = config();
        if (lazy.mode !== "auto") return lazy.mode === "always";
        const { isAboveThreshold } = await import("../tokens/context-stats.ts");
        return isAboveThreshold(tools ?? (await selected({}, { ...caller, face: "mcp" })), lazy);
      },
    },
    async stats({ tools: withTools = false, limit, ...selection } = {}, caller) {
      const { countContext } = await import("../tokens/context-stats.ts");
      const context = await countContext(
        await selected(selection, { ...caller, face: "mcp" }),
        config().lazy,
        withTools,
      );
      const stats = context.tools ? { ...context, tools: context.tools.slice(0, limit) } : context;
      return { ...stats, sessions: await clients.measure(caller.principal) };
    },
  };
}

function createPinVerbs(
  ports: QualityPorts,
  selected: (selection: Selection, caller: Patient) => Promise<readonly Tool[]>,
): Inside<PlanePins> {
  const { store, emit, revision, tools, guard } = ports;
  const offersOf = async (server: string | undefined, caller: Patient) => {
    const { principal } = caller;
    await ports.listOffers(server, caller);
    const { listedOffers } = await import("./pin-verbs.ts");
    const maySee = (name: string, user: string | undefined) =>
      (server === undefined || name === server) &&
      ports.maySeeServer(principal, name) &&
      ownList(ports.listOwner(name, principal), ports) === user;
    return listedOffers(
      await guard(),
      maySee,
      (name) => ports.config().servers[name]?.groups ?? [],
    );
  };
  /** A tool, or an offer by the name that lists of pins show. */
  const find = async (target: string | ToolId, caller: Patient) => {
    const offerName = typeof target === "string" ? parseOfferName(target) : null;
    const offers = offerName === null ? [] : await offersOf(offerName.server, caller);
    return offers.find(({ name }) => name === target) ?? ports.tool(target, caller);
  };
  const decideAs =
    (decision: "accepted" | "rejected") =>
    async (target: string | ToolId, { reason }: { reason?: string } = {}, caller: KnownCaller) => {
      const { principal } = caller;
      requireScope(principal, "admin", "decide about definitions of tools");
      const tool = await find(target, { principal });
      const { decidePin } = await import("./pin-verbs.ts");
      const context = { guard: await guard(), store, emit, revision, user: principal.user };
      const view = await decidePin(tool, decision, { reason, caller, principal }, context);
      // The list that models see has changed.
      emit({ type: "registry.changed", revision: revision(), tools: tools().length });
      return view;
    };
  return {
    async list(filter = {}, caller) {
      const { viewPins } = await import("./pin-verbs.ts");
      const listed = await selected(filter, caller);
      const offers = await offersOf(filter.server, caller);
      const { user } = caller.principal;
      return viewPins([...listed, ...offers], filter, { guard: await guard(), store, user });
    },
    async get(target, { principal }) {
      const tool = await find(target, { principal });
      const { diffPin } = await import("./pin-verbs.ts");
      return diffPin(tool, { guard: await guard(), store, user: principal.user });
    },
    accept: decideAs("accepted"),
    reject: decideAs("rejected"),
  };
}

/** Texts that are counted before the event loop goes on. */
const batchSize = 50;

function createClients({ emit }: Pick<QualityPorts, "emit">) {
  const sources = new Set<ClientSource>();
  const verbs: ClientVerbs = {
    clients: {
      watch(source) {
        sources.add(source);
        return {
          loaded: (tools, loadedTokens) =>
            emit({ type: "tool.dynamicLoad", session: source.id, tools: [...tools], loadedTokens }),
          close: () => void sources.delete(source),
        };
      },
    },
    tools: {
      async countTokens(texts) {
        const { loadTokenCounter } = await import("../tokens/definition-cost.ts");
        const count = await loadTokenCounter();
        const counts: number[] = [];
        for (const text of texts) {
          counts.push(count(text));
          if (counts.length % batchSize === 0) await new Promise(setImmediate);
        }
        return counts;
      },
    },
  };
  return {
    verbs,
    async measure(principal: Principal): Promise<ClientContext[]> {
      const isTheirs = ({ user }: ClientSource) =>
        mayDo(principal, "admin") || user === principal.user;
      const measured = [...sources].filter(isTheirs).map(async ({ measure, ...source }) => ({
        ...source,
        ...(await measure()),
      }));
      // A client that disconnects while it is measured is left out.
      return (await Promise.allSettled(measured)).flatMap((measurement) =>
        measurement.status === "fulfilled" ? measurement.value : [],
      );
    },
  };
}

function requireOption(name: string, expected: string, isValid: boolean): void {
  if (!isValid)
    throw new PlaneError("USAGE", `'${name}' must be ${expected}.`, { data: { parameter: name } });
}
