import { abortable } from "../lib/abortable.ts";
import { PlaneError } from "../model/errors.ts";
import type { Session } from "../protocol/session.ts";
import { checkServer } from "./check.ts";
import { createConnection } from "./connection.ts";
import type { Connection } from "./connection-contract.ts";
import { createOffers } from "./offers.ts";
import type { OpenSteps } from "./open-attempt.ts";
import { createPresence } from "./presence.ts";
import { createRequests } from "./requests.ts";
import { createServerCatalogue } from "./server-catalogue.ts";
import type { Server, ServerOptions } from "./server-contract.ts";
import { createServerLog } from "./server-log.ts";
import { describeStatus, isOpen } from "./server-status.ts";
import { createSessionOpener } from "./session-opener.ts";
import { createSessions, maxSessions, type SessionOwner } from "./sessions.ts";
import { createServerHider } from "./without-secrets.ts";

/** One server: its sessions, what it offers, what it says, and how much it is asked at once. */
export function createServer(options: ServerOptions): Server {
  const { name, definition, guard } = options;
  const { connectTimeoutMs, listingTtlMs } = definition;
  let hide = createServerHider(definition, options.secretValues());
  let requirement: PlaneError | null = null;
  const presence = createPresence(name, definition, options.isOffline);
  const { refuseIfAway } = presence;
  const log = createServerLog(() => hide);

  const opener = createSessionOpener({
    ...options,
    log,
    async resolve(unresolved) {
      const resolved = await options.resolveSecrets(name, unresolved);
      hide = createServerHider(resolved, options.secretValues());
      return resolved;
    },
    onListChanged: (list) => {
      if (list !== "tools") offers.changed(list);
      else if (!presence.isStopped()) catalogue.changed();
    },
  });

  const sharing = () =>
    definition.session === "shared" && options.isPersonal() ? "principal" : definition.session;
  const sessions = createSessions(sharing, (owner) => {
    const isMain = owner.user === null && owner.conversation === null;
    return createConnection({
      name,
      connectTimeoutMs,
      retry: { firstMs: definition.backoffMs, longestMs: definition.maxBackoffMs },
      open: (steps) => open(owner, isMain, steps),
      isKept: () => isMain && presence.isKept(),
      // The state that everybody sees is that of the main session.
      emit: isMain ? options.emit : () => undefined,
      hide: (text) => hide(text),
      onLeft: ({ pid }) => pid !== null && guard.release(pid),
      idleTimeoutMs: definition.alwaysOn ? 0 : definition.idleTimeoutMs,
      ...(isMain ? {} : { onIdle: () => sessions.drop(owner) }),
      after: options.after,
    });
  });
  const { main } = sessions;

  /** While the main session opens it is not live yet, and yet the one to be asked. */
  let opening: Session | undefined;
  const catalogue = createServerCatalogue({
    listingTtlMs,
    limitMs: connectTimeoutMs,
    session: async () => opening ?? (await main.ensure()).session,
    isOpen: () => main.live() !== null,
    verdict: opener.verdict,
    log,
    hide: (text) => hide(text),
    onTools: options.onTools,
    onKnown: options.onKnown,
  });
  const offers = createOffers({
    windowMs: listingTtlMs,
    live: () => main.live()?.session ?? null,
    session: async () => (await main.ensure()).session,
  });
  const requests = createRequests({
    name,
    definition,
    toolOf: catalogue.toolOf,
    taskQuietMs: options.taskQuietMs,
    answering: opener.answering,
    hide: (text) => hide(text),
  });

  async function open(owner: SessionOwner, isMain: boolean, steps: OpenSteps) {
    refuseIfAway();
    const opened = await opener.open(owner.user, steps);
    const before = catalogue.listedAt();
    if (isMain || !catalogue.isKnown()) await findOut(opened.session, steps);
    return { opened, toolCount: catalogue.size(), hasListed: catalogue.listedAt() !== before };
  }

  /** What is known from before is good enough to begin with. */
  async function findOut(session: Session, { phase, signal }: OpenSteps): Promise<void> {
    opening = session;
    phase("tools/list");
    const listed = abortable(catalogue.list(), signal).finally(() => {
      opening = undefined;
    });
    if (catalogue.isKnown()) listed.catch(() => undefined);
    else await listed;
  }

  function sessionOf(owner: SessionOwner): Connection {
    const found = sessions.of(owner);
    if (found) return found;
    const text = `Server '${name}' is busy: all ${maxSessions} sessions of its users and conversations are in use.`;
    throw new PlaneError("BUSY", text, { data: { server: name, sent: false, retryAt: null } });
  }

  /** A server may turn out to want to know who asks only when it is asked. */
  async function ensureFor(owner: SessionOwner): Promise<void> {
    const whose = () => (options.isPersonal() ? sessionOf(owner) : main);
    const first = whose();
    try {
      await first.ensure().catch((thrown) => {
        if (whose() === first) throw thrown;
        return whose().ensure();
      });
      requirement = null;
    } catch (thrown) {
      requirement = thrown instanceof PlaneError && thrown.code === "AUTH_REQUIRED" ? thrown : null;
      throw thrown;
    }
  }

  async function refresh(): Promise<void> {
    refuseIfAway();
    // What is remembered from the last time must not look like a listing of now.
    await options.recalled().catch(() => undefined);
    const before = catalogue.listedAt();
    await main.ensure({ force: true });
    if (catalogue.listedAt() === before) await catalogue.list({ force: true });
  }

  return {
    definition,
    isKnown: catalogue.isKnown,
    recall(known) {
      opener.remember({ era: known.era, at: Date.parse(known.eraAt) });
      catalogue.recall(known);
    },
    async connect() {
      presence.keep();
      refuseIfAway();
      await main.ensure({ force: true });
    },
    async warm() {
      refuseIfAway();
      await main.ensure();
    },
    async discover(owner) {
      if (options.isOffline && catalogue.isKnown()) return;
      refuseIfAway();
      // What is known needs no process; whoever runs already may be asked again.
      if (catalogue.isKnown() && !main.live()) return;
      await ensureFor(owner);
      if (main.live()) await catalogue.list().catch(() => undefined);
    },
    isSettled(owner) {
      if (presence.isAway() || !catalogue.isKnown()) return false;
      if (!main.live()) return true;
      const isTheirs = !options.isPersonal() || (sessions.find(owner)?.live() ?? null) !== null;
      return isTheirs && requirement === null && catalogue.isFresh();
    },
    refresh,
    async disconnect() {
      presence.hold();
      await sessions.close("disconnected");
    },
    async clear() {
      catalogue.forgetAll();
      return sessions.close("cleared");
    },
    async forgetUser(user, isMainUser) {
      await Promise.all([
        sessions.release((owner) => owner.user === user, "its token changed"),
        isMainUser ? main.close("its token changed") : undefined,
      ]);
    },
    isWanted: () => presence.isKept() || ["connecting", "connected", "backoff"].includes(main.facts().state),
    release: sessions.release,
    request(method, params, requestOptions, owner) {
      refuseIfAway();
      return requests.send(sessionOf(owner), method, params, requestOptions, owner.user);
    },
    async list(method, signal) {
      refuseIfAway();
      main.enter();
      try {
        return await abortable(offers.list(method, signal), signal);
      } finally {
        main.leave();
      }
    },
    async check(signal) {
      refuseIfAway();
      const { session } = await abortable(main.ensure(), signal);
      return checkServer(session, signal);
    },
    session: () => main.live()?.session ?? null,
    requirement: () => main.requirement() ?? requirement,
    status: () =>
      describeStatus({
        definition,
        sessions,
        catalogue,
        pending: requests.pending(),
        noise: opener.noise(),
      }),
    sessionOwners: () =>
      sessions
        .all()
        .filter(isOpen)
        .map(({ owner }) => owner),
    logs: log.lines,
    followLogs: log.follow,
    async stop() {
      presence.stop();
      catalogue.stop();
      await sessions.close("closed");
    },
  };
}
