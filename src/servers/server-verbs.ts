import { pause } from "../lib/async/pause.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { createLru } from "../lib/lru.ts";
import { normalUri } from "../lib/text/uri-spellings.ts";
import type { ListOwner } from "../model/catalogue/list-owner.ts";
import { isOfferDenied } from "../model/catalogue/offer-name.ts";
import { PlaneError, quarantineHints } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { Listed, PlanePrompts, PlaneResources, PlaneServers } from "../model/plane-tools.ts";
import { type Inside, type KnownCaller, mayDo, type Principal } from "../model/principal.ts";
import type { OfferKind } from "../model/servers/server.ts";
import type { ServerStatus } from "../model/servers/server-schema.ts";
import { transports } from "../model/servers/transports.ts";
import { safeIcons } from "../protocol/list-all.ts";
import { withEndedSignIn } from "./auth/problems.ts";
import type { EndedSignIn } from "./auth/records.ts";
import { unknownServer } from "./failures.ts";
import type { OfferMethod } from "./server-catalogue.ts";
import type { ServerDirectory } from "./server-directory.ts";
import type { ServerLifecycle } from "./server-lifecycle.ts";
import { ownerOfCaller, type SessionOwner } from "./sessions.ts";

type KnownServers = Omit<ServerDirectory, "apply"> & ServerLifecycle;

/** For a whole listing. */
const limitMs = 60_000;

/** Output of a server is for administrators. */
function statusFor(principal: Principal, status: ServerStatus): ServerStatus {
  if (mayDo(principal, "admin")) return status;
  const { stderrTail: _, instances: __, installing, ...open } = status;
  return installing ? { ...open, installing: { ...installing, lastLine: null } } : open;
}

/** Only what is reached over a network has sign-ins. */
async function withSignIns(
  statuses: ServerStatus[],
  { user }: Principal,
  { endedSignIns }: Pick<VerbOptions, "endedSignIns">,
): Promise<ServerStatus[]> {
  const isRemote = statuses.some(
    ({ transport }) => transport !== null && !transports[transport].isLocal,
  );
  if (!isRemote || endedSignIns === undefined) return statuses;
  // A store that cannot be read is not what was asked about.
  const ended = await endedSignIns(user).catch(() => null);
  return statuses.map((status) => {
    const signIn = ended?.get(status.name);
    return signIn === undefined ? status : withEndedSignIn(status, signIn);
  });
}

export type VerbOptions = {
  defaultPrincipal: Principal;
  maySee(principal: Principal, server: string): boolean;
  /** Why each of these offers of a server is quarantined, or null. */
  judge(
    server: string,
    kind: OfferKind | "instructions",
    items: readonly unknown[],
    owner?: ListOwner,
  ): Promise<(string | null)[]>;
  /** Of this user, by server. */
  endedSignIns?(user: string | null): Promise<ReadonlyMap<string, EndedSignIn>>;
  /** A person connected or refreshed these: their circuit breakers are closed. */
  trust(servers: readonly string[]): void;
};

type ServerVerbs = {
  servers: Omit<
    Inside<PlaneServers>,
    | "locked"
    | "forward"
    | "wantLogs"
    | "sees"
    | "instructions"
    | "onMessage"
    | "extensions"
    | "declare"
  >;
  prompts: Pick<Inside<PlanePrompts>, "list">;
  resources: Pick<Inside<PlaneResources>, "list" | "templates">;
};

export function createServerVerbs(servers: KnownServers, options: VerbOptions): ServerVerbs {
  const { maySee, trust } = options;
  const requireSeen = visibilityCheck(servers, maySee);
  const listOf =
    (method: OfferMethod): Inside<PlanePrompts>["list"] =>
    (server, caller) =>
      listOffers(servers, options, method, server, caller);

  return {
    servers: {
      async list({ connect = false, principal }) {
        if (connect) await servers.probe();
        const visible = servers.status().filter(({ name }) => maySee(principal, name));
        return withSignIns(
          visible.map((status) => statusFor(principal, status)),
          principal,
          options,
        );
      },
      async get(name, { connect = false, principal }) {
        const required = requireSeen(name, principal);
        if (connect) await servers.warmOne(name).catch(() => undefined);
        const serverStatus = servers
          .status()
          .find((status) => status.name === required) as ServerStatus;
        const status = statusFor(principal, serverStatus);
        return (await withSignIns([status], principal, options))[0] ?? status;
      },
      ping: (server) => servers.check(server, AbortSignal.timeout(limitMs)),
      async connect(server) {
        await servers.connect(server);
        trust([server]);
      },
      disconnect: servers.disconnect,
      async restart(server, { principal }) {
        const named = server === undefined ? undefined : [requireSeen(server, principal)];
        const restarted = new Set(await servers.restart(named));
        trust([...restarted]);
        return servers
          .status()
          .filter(({ name }) => restarted.has(name) && maySee(principal, name))
          .map((status) => statusFor(principal, status));
      },
      async refresh(server, options) {
        if (server === undefined) return servers.refresh(servers.names(), options);
        const report = await servers.refresh([servers.requireName(server)], options);
        trust([server]);
        return report;
      },
      async logs(server, { connect = false, principal }) {
        const name = requireSeen(server, principal);
        if (connect) {
          await servers.warmOne(name).catch(() => undefined);
          // Stderr may arrive right after the answer.
          await new Promise(setImmediate);
        }
        return servers.logs(server, principal);
      },
      async record(server, { on = true, principal }) {
        return servers.record(requireSeen(server, principal), on, principal);
      },
      async messages(server, { connect = false, principal, ...reading }) {
        const name = requireSeen(server, principal);
        if (connect) await servers.warmOne(name).catch(() => undefined);
        return servers.messages(name, principal, reading);
      },
      followLogs(server, listener, { principal }) {
        const name = requireSeen(server, principal);
        const stop = servers.followLogs(name, principal, listener);
        return { lines: servers.logs(name, principal), stop };
      },
      poolInfo: servers.pool,
      clearCaches: servers.clear,
    },
    prompts: {
      list: listOf("prompts/list"),
    },
    resources: {
      list: listOf("resources/list"),
      templates: listOf("resources/templates/list"),
    },
  };
}

/** A hidden server is unknown to the caller. */
function visibilityCheck(
  { requireName }: Pick<ServerDirectory, "requireName">,
  maySee: VerbOptions["maySee"],
) {
  return (server: string, principal: Principal): string => {
    if (maySee(principal, server)) return requireName(server);
    throw unknownServer(server);
  };
}

/** `deny_tools` names them as rules do: `prompts/NAME`, `resources/URI`. */
function isShown(
  method: OfferMethod,
  { name, uri, uriTemplate }: UnknownObject,
  deny: readonly string[] | null,
): boolean {
  const offerName =
    method === "prompts/list" ? `prompts/${name}` : `resources/${uri ?? uriTemplate}`;
  return !isOfferDenied(offerName, deny);
}

const offerKinds = {
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const satisfies Record<OfferMethod, OfferKind>;

/** Refuses a prompt or resource whose definition is quarantined, by the list of the process that will answer. */
export async function requireNotQuarantined(
  servers: Pick<ServerDirectory, "find">,
  { judge }: Pick<VerbOptions, "judge">,
  server: string,
  method: string,
  { name, uri, ref }: UnknownObject,
  owner: SessionOwner,
): Promise<void> {
  const target = isObject(ref) ? ref : { name, uri };
  const isPrompt = method === "prompts/get" || (isObject(ref) && ref.type === "ref/prompt");
  const list = isPrompt ? "prompts/list" : "resources/list";
  const key = isPrompt ? "name" : "uri";
  const offeringServer = servers.find(server);
  await offeringServer.warm().catch(() => undefined);
  const items = await offeringServer
    .list(list, AbortSignal.timeout(limitMs), owner)
    .catch(() => offeringServer.offered(list, owner) ?? []);
  // Another spelling of an address is no way around the quarantine.
  const normalized = (value: unknown) => (isPrompt ? value : normalUri(String(value)));
  const index = items.findIndex(
    (offer) => isObject(offer) && normalized(offer[key]) === normalized(target[key]),
  );
  if (index < 0) return;
  const reason =
    (await judge(server, offerKinds[list], items, offeringServer.listOwner(owner)))[index] ?? null;
  if (reason === null) return;
  const label = isPrompt ? "Prompt" : "Resource";
  const hints = quarantineHints(`${label.toLowerCase()}:${server}/${String(target[key])}`);
  throw new PlaneError(
    "TOOL_QUARANTINED",
    `${label} '${String(target[key])}' of server '${server}' is quarantined: ${reason}.`,
    {
      data: { server, personHints: hints },
    },
  );
}

/** The instructions of the server, unless they are quarantined. */
export async function releasedInstructions(
  servers: Pick<ServerDirectory, "session" | "listOwner">,
  { judge }: Pick<VerbOptions, "judge">,
  server: string,
  owner: SessionOwner,
): Promise<string | null> {
  const session = servers.session(server, owner);
  if (session === null) return null;
  const { instructions } = session;
  const [reason = null] = await judge(
    server,
    "instructions",
    instructions === null ? [] : [internInstructions(instructions)],
    servers.listOwner(server, owner),
  );
  return reason === null ? instructions : null;
}

const internedInstructions = createLru<{ instructions: string }>(100);

/** The same object for the same text, so that it is scanned once. */
function internInstructions(instructions: string): { instructions: string } {
  const interned = internedInstructions.get(instructions) ?? { instructions };
  internedInstructions.set(instructions, interned);
  return interned;
}

/** Of one server, or of all that the caller may see; those that fail are left out then. */
async function listOffers(
  servers: KnownServers,
  { defaultPrincipal, maySee, judge }: VerbOptions,
  method: OfferMethod,
  server: string | undefined,
  { principal, face, waitMs }: KnownCaller & { waitMs?: number },
): Promise<Listed[]> {
  const signal = AbortSignal.timeout(limitMs);
  const isNamed = server !== undefined;
  const names = isNamed
    ? [visibilityCheck(servers, maySee)(server, principal)]
    : servers.names().filter((name) => maySee(principal, name));
  // The main session has the credentials of the default principal.
  const user = principal.user === defaultPrincipal.user ? null : principal.user;
  const owner = ownerOfCaller({ ...principal, user });
  const listOne = async (name: string): Promise<Listed[]> => {
    const listing = servers.list(name, method, signal, { isNamed, owner });
    const cachedOffers = async () => servers.offered(name, method, owner) ?? [];
    // The cached list, where asking takes longer.
    const items =
      waitMs === undefined
        ? listing
        : Promise.race([listing, pause(waitMs, { isBackground: true }).then(cachedOffers)]);
    const listed = await (isNamed ? items : items.catch(() => []));
    const reasons = await judge(name, offerKinds[method], listed, servers.listOwner(name, owner));
    const isForModels = face === "mcp" || face === "agent";
    return listed.flatMap((offer, index): Listed[] => {
      const reason = reasons[index] ?? null;
      if (
        !isObject(offer) ||
        (reason !== null && isForModels) ||
        !isShown(method, offer, servers.denied(name))
      )
        return [];
      const icons = offer.icons === undefined ? undefined : safeIcons(offer.icons);
      const unavailable = reason ?? undefined;
      return [
        {
          ...offer,
          ...withoutUndefined({ icons }),
          server: name,
          ...withoutUndefined({ unavailable }),
        },
      ];
    });
  };
  return (await Promise.all(names.map(listOne))).flat();
}
