import { once } from "../../lib/async/once.ts";
import { steadyNow } from "../../lib/async/steady-time.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Egress } from "../../lib/net/egress.ts";
import type { AuthorizationServer, SignInProvider } from "../../model/access/auth-settings.ts";
import { ClaimPaths } from "../../model/access/jwt-issuer.ts";
import { limitsIn } from "../../model/access/resource.ts";
import type {
  PersonRights,
  SignInDesk,
  SignInLine,
  SignInPackage,
  SignInRows,
  SignInServer,
} from "../../model/access/sign-in.ts";
import type { GrantView, PersonView } from "../../model/access/sign-in-schema.ts";
import type { AuditedWork } from "../../model/audit.ts";
import type { Config } from "../../model/config/config.ts";
import { isLoopback } from "../../model/config/settings.ts";
import { PlaneError } from "../../model/errors.ts";
import type {
  BegunPlace,
  BegunSignIn,
  BrowserPlace,
  PlaneGrants,
  PlanePeople,
} from "../../model/plane-access.ts";
import {
  type Caller,
  type Inside,
  mayDo,
  type Principal,
  principalOf,
  requireScope,
} from "../../model/principal.ts";
import type { Store, StoreNews } from "../../model/store.ts";
import type { Vault } from "../../servers/servers.ts";
import { createRevocations } from "./revocations.ts";

/** Keys of a token that are not known here are looked for in the store so often. */
const keysCooldownMs = 5_000;
const sweepMs = 600_000;
/** Names of one machine: no more than these can be asked for. */
const maxOrigins = 8;

const browserKind = "Browser";
const browserSeconds = 12 * 60 * 60;
const begunKind = "Begun";
const begunSeconds = 600;

type Session = NonNullable<Awaited<ReturnType<BrowserPlace["find"]>>>;

export type SignInContext = {
  config(): Config;
  /** With secrets in their places. */
  settings(): Promise<{
    server?: AuthorizationServer | undefined;
    signIn?: SignInProvider | undefined;
  }>;
  store(): Promise<Store>;
  vault(): Promise<Vault>;
  onNews(listener: (news: StoreNews) => void): () => void;
  /** Do other planes tell of what they take back? */
  isInformed(): boolean;
  egress: Egress;
  load(): Promise<SignInPackage>;
  audit<T>(work: AuditedWork, caller: Caller, run: () => Promise<T>): Promise<T>;
  policy(): Promise<string>;
  maySeeServer(person: PersonRights, name: string): boolean;
};

/** The authorization server of the plane: loaded where it is configured, one for each address that it is reached at. */
export function createSignIn(context: SignInContext) {
  const { config, store } = context;
  const rows = once(async (): Promise<SignInRows> => {
    const { createSignInRows } = await import("./sign-in-rows.ts");
    return createSignInRows({ store, vault: once(context.vault) });
  });
  const revocations = createRevocations({ rows, isInformed: context.isInformed });
  const keys = createKeyCache(async (origin) => (await serverAt(origin)).keys());
  context.onNews(({ what }) => {
    if (what !== "signIns") return;
    revocations.changed();
    keys.changed();
  });
  const lines = createLines(context);
  const servers = new Map<string, Promise<SignInServer>>();
  const sweep = once(() => {
    setInterval(() => void store().then(forgetAll, () => undefined), sweepMs).unref();
  });

  async function openServer(origin: string): Promise<SignInServer> {
    const { server, signIn } = await context.settings();
    if (server === undefined) throw new PlaneError("NOT_FOUND", "This plane signs no one in.");
    const { openSignIn } = await context.load();
    const upstream =
      signIn && (await import("./upstream.ts")).createUpstream(signIn, context.egress);
    sweep();
    return openSignIn({
      origin,
      settings: server,
      provider: signIn,
      defaultScopes: config().auth.scopes,
      rows: await rows(),
      vault: await context.vault(),
      egress: context.egress,
      upstream: upstream ?? null,
      limits: () => ({
        servers: Object.keys(config().servers),
        toolsets: Object.keys(config().toolsets),
      }),
      serversFor: (person) =>
        Object.keys(config().servers).filter((name) => context.maySeeServer(person, name)),
      policy: context.policy,
      readAssertion: await assertionReader(server, signIn, origin, context.egress),
      record: lines,
      revoked: revocations.add,
    });
  }

  function serverAt(origin: string): Promise<SignInServer> {
    const existing = servers.get(origin);
    if (existing) return existing;
    if (servers.size >= maxOrigins) servers.clear();
    const opened = openServer(origin);
    servers.set(origin, opened);
    opened.catch(() => servers.delete(origin));
    return opened;
  }

  const desk = once(async (): Promise<SignInDesk> => {
    const { openDesk } = await context.load();
    const listedClients = async () => (await context.settings()).server?.clients ?? {};
    return openDesk({ rows: await rows(), revoked: revocations.add, listedClients });
  });

  function requireServer() {
    if (config().auth.server === undefined)
      throw new PlaneError(
        "USAGE",
        "This plane signs no one in itself. Set 'auth.server' in the configuration first.",
      );
  }

  function ownerFilter({ principal }: Caller) {
    return principal && mayDo(principal, "admin") ? null : (principal?.user ?? "");
  }

  async function grantsFor(caller: Caller): Promise<GrantView[]> {
    return (await (await desk()).grants(ownerFilter(caller))).filter(({ scopes }) =>
      isInReach(scopes, caller.principal),
    );
  }

  const grants: Inside<PlaneGrants> = {
    async list(caller) {
      requireScope(caller.principal, "read", "see what clients may do");
      if (config().auth.server === undefined) return [];
      return grantsFor(caller);
    },
    async revoke(id, caller) {
      requireScope(caller.principal, "call", "take back what a client may do");
      requireServer();
      const isOwn = (await grantsFor(caller)).some((grant) => grant.id === id);
      if (!isOwn)
        throw new PlaneError(
          "NOT_FOUND",
          `There is no grant '${id}'. 'toolplane grants list' shows them all.`,
        );
      return (await desk()).revokeGrant(id);
    },
  };
  const people: Inside<PlanePeople> = {
    async list({ principal }) {
      requireScope(principal, "admin", "see the people");
      if (config().auth.server === undefined) return [];
      return (await desk()).people();
    },
    async invite(invitation, { principal }) {
      requireScope(principal, "admin", "invite a person");
      requireServer();
      const { publicUrl } = config().auth;
      if (publicUrl === undefined)
        throw new PlaneError(
          "USAGE",
          "An invitation is a link: set 'auth.publicUrl' to the address that people use.",
        );
      return (await desk()).invite(invitation, new URL(publicUrl).origin);
    },
    async remove(user, { principal }) {
      requireScope(principal, "admin", "remove a person");
      requireServer();
      return (await desk()).removePerson(user);
    },
  };

  const browsers: BrowserPlace = {
    async keep(cookie, session) {
      sweep();
      await (await rows()).put(browserKind, cookie, session, { seconds: browserSeconds });
    },
    find: async (cookie) => (await (await rows()).get<Session>(browserKind, cookie))?.value ?? null,
    end: async (cookie) => void (await (await rows()).remove(browserKind, cookie)),
  };
  const begun: BegunPlace = {
    async keep(state, about) {
      sweep();
      await (await rows()).put(begunKind, state, about, { seconds: begunSeconds });
    },
    find: async (state) => (await (await rows()).get<BegunSignIn>(begunKind, state))?.value ?? null,
    take: async (state) => (await rows()).remove(begunKind, state),
  };

  return {
    grants,
    people,
    browsers,
    begun,
    serverAt,
    /** Rejects where a public address would let no one in. */
    async requireReady(): Promise<void> {
      const { server, signIn, publicUrl } = config().auth;
      if (server === undefined) return;
      const programs = Object.values(server.clients).some(({ scopes }) => scopes.length > 0);
      if (publicUrl === undefined)
        throw new PlaneError(
          "USAGE",
          "Others reach this plane, and 'auth.server' needs to know its address: set 'auth.publicUrl', or use --public-url.",
        );
      if (signIn !== undefined || programs || isLoopback(new URL(publicUrl).hostname)) return;
      if ((await (await desk()).people()).some(canSignIn)) return;
      throw new PlaneError(
        "USAGE",
        "No one could sign in at this plane. Set 'auth.signIn' to your identity provider, or invite the first person: toolplane people invite NAME --scope admin",
      );
    },
    /** Keys of the server at this address; they are kept in memory. */
    keysAt: keys.at,
    requireGrant: revocations.requireGrant,
    /** With the configuration. */
    reload: () => servers.clear(),
  };
}

/** With what they have, or what an open invitation leads to. Those of a provider need it. */
function canSignIn({ source, hasPassword, passkeys, invitedUntil }: PersonView): boolean {
  return source === "local" && (hasPassword || passkeys > 0 || invitedUntil !== null);
}

/** A caller with some servers alone sees what is allowed on these, and nothing that reaches beyond them. */
function isInReach(scopes: readonly string[], principal: Principal | undefined): boolean {
  const { servers, within } = principal ?? {};
  if (servers === undefined) return true;
  const limits = limitsIn(scopes);
  if (limits === null) return false;
  const hasServers = limits.servers.every((name) => servers.includes(name));
  return hasServers && limits.toolsets.every((name) => within?.toolsets.includes(name));
}

async function assertionReader(
  { assertionIssuers }: AuthorizationServer,
  signIn: SignInProvider | undefined,
  origin: string,
  egress: Egress,
) {
  const claims = signIn?.claims ?? ClaimPaths.parse({ user: "email" });
  return (await import("./assertions.ts")).createReadAssertion(
    assertionIssuers,
    origin,
    claims,
    egress,
  );
}

type Keys = Awaited<ReturnType<SignInServer["keys"]>>;

/** The keys of each origin. `isKeyUnknown`: the key of a token was not among those that were read last. */
function createKeyCache(read: (origin: string) => Promise<Keys>) {
  const keysByOrigin = new Map<string, { readAt: number; keys: Promise<Keys> }>();
  return {
    /** Another plane may have made a key. */
    changed: () => keysByOrigin.clear(),
    at(origin: string, isKeyUnknown = false): Promise<Keys> {
      const cached = keysByOrigin.get(origin);
      if (cached && !(isKeyUnknown && steadyNow() - cached.readAt > keysCooldownMs))
        return cached.keys;
      const keys = read(origin);
      if (keysByOrigin.size >= maxOrigins) keysByOrigin.clear();
      keysByOrigin.set(origin, { readAt: steadyNow(), keys });
      keys.catch(() => keysByOrigin.delete(origin));
      return keys;
    },
  };
}

/** Lines about refusals in a minute: strangers cause them, and records stay. */
const maxRefusals = 120;

/** One line of the record for each event, and of refusals no more than a person can read. */
function createLines({ audit }: SignInContext) {
  let minute = 0;
  let refusals = 0;
  let leftOut = 0;
  return async (line: SignInLine): Promise<void> => {
    const now = Math.floor(Date.now() / 60_000);
    if (now !== minute) {
      minute = now;
      refusals = 0;
    }
    if (line.error !== undefined && ++refusals > maxRefusals) return void leftOut++;
    const input = leftOut === 0 ? line.input : { ...line.input, leftOut };
    leftOut = 0;
    await recordLine(audit, input === undefined ? line : { ...line, input });
  };
}

async function recordLine(audit: SignInContext["audit"], line: SignInLine): Promise<void> {
  const { operation, target, user = null, address, input = {}, error } = line;
  const caller = {
    principal: principalOf({ user }),
    face: "http" as const,
    ...withoutUndefined({ address }),
  };
  const auditedInput = { ...input, ...withoutUndefined({ error }) };
  const work = { operation, input: auditedInput, ...withoutUndefined({ target }) };
  // The record tells how work ended, so a refusal is thrown to be recorded. The caller has its own answer for it.
  const endAsRefused = async () => {
    if (error !== undefined) throw new PlaneError("UNAUTHENTICATED", error);
  };
  // A line that cannot be recorded keeps nobody from signing in.
  await audit(work, caller, endAsRefused).catch(() => undefined);
}

async function forgetAll(store: Store): Promise<void> {
  while ((await store.forgetSignIns(Date.now())) > 0);
  // What was counted, of every name and network that was tried.
  await store.forgetShared();
}
