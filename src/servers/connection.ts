import { maxTimerMs } from "../lib/async/pause.ts";
import { PlaneError, personHints } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import { type Channel, TransportError } from "../protocol/message.ts";
import {
  type ConnectionFacts,
  type ConnectionSignal,
  initialFacts,
  nextFacts,
  type RetryPolicy,
} from "./connection-state.ts";
import { describeUnavailable, stderrTailOf } from "./failures.ts";
import { type InstallFailure, lastLineOf } from "./installer.ts";
import { type AttemptOptions, attemptToOpen, type Install } from "./open-attempt.ts";
import type { OpenedSession } from "./open-session.ts";

export type Live = OpenedSession & {
  openedAt: number;
  /** How many calls it has answered, and whether it has listed its tools before. */
  answered: number;
  hasListed: boolean;
  /** It is new and has not listed its tools, so none of them is called before it has. */
  owesListing: boolean;
};

export type ConnectionOptions = Pick<AttemptOptions, "connectTimeoutMs" | "open"> & {
  name: string;
  retry: RetryPolicy;
  /** Given where a program may have to fetch the server first. */
  install?: (Pick<Install, "limitMs" | "isInstalled"> & { explain: ExplainInstall }) | undefined;
  /** Is it reconnected automatically? */
  staysConnected(): boolean;
  emit(event: PlaneEvent): void;
  hide(text: string): string;
  /** Nothing is left of what this channel started. */
  onLeft(channel: Channel): void;
  /** What ran under this name before is gone: nothing is opened sooner, and closing waits for it too. */
  after?: Promise<void> | undefined;
  /** 0 is for ever. */
  idleTimeoutMs?: number;
  /** It was closed after the idle timeout. */
  onIdle?(): void;
};

/** What an installer that failed said about it; null when it was not the installer that failed. */
export type ExplainInstall = (said: string) => InstallFailure | null;

export type Connection = {
  facts(): ConnectionFacts;
  /** The last line that the installer wrote, as long as it is at work. */
  installLine(): string | null;
  live(): Live | null;
  /** What a person has to do before it can be opened, when that is why it could not. */
  requirement(): PlaneError | null;
  /** The open session; one is opened if there is none. Many may ask at once. */
  ensure(options?: { force?: boolean }): Promise<Live>;
  /** A request begins and ends. */
  enter(): void;
  leave(): void;
  /** Requests use it or wait for it. */
  isInUse(): boolean;
  /** It answered something: whatever went wrong before is over. */
  worked(live: Live): void;
  /** Gives up on a session that only looks alive. */
  lose(live: Live, reason: string): void;
  /** Ends the session and waits until nothing of it is left. It may be opened again. */
  close(reason: string): Promise<void>;
};

/** So much of what an installer writes is kept while it is at work. */
const installTailCharacters = 2_000;

/** A life that lasted this long was not cut short. */
const longLifeMs = 10_000;

/** One session's life: opened when it is needed, replaced when it died, left alone while it backs off. */
export function createConnection(options: ConnectionOptions): Connection {
  const { name, emit, hide } = options;
  let facts = initialFacts;
  let live: Live | null = null;
  let connecting: { given: AbortSignal; live: Promise<Live> } | undefined;
  let closed = new AbortController();
  let retry: NodeJS.Timeout | undefined;
  let requirement: PlaneError | null = null;
  let users = 0;
  let installTail = "";
  const idle = createIdleTimer(options.idleTimeoutMs ?? 0, () => {
    if (users > 0 || live === null) return;
    void close("idle");
    options.onIdle?.();
  });
  const leaving = new Set<Promise<void>>();
  if (options.after) {
    const left = options.after.finally(() => leaving.delete(left));
    leaving.add(left);
  }

  function take(signal: ConnectionSignal): void {
    const next = nextFacts(name, facts, signal, options.retry);
    facts = next.facts;
    clearTimeout(retry);
    if (facts.retryAt !== null) {
      retry = setTimeout(
        () => void ensure({ force: true }).catch(() => undefined),
        Math.min(maxTimerMs, Math.max(0, facts.retryAt - Date.now())),
      );
      retry.unref();
    }
    if (next.event) emit(next.event);
  }

  /** Waited for when the connection is closed, so that nothing outlives it. */
  function leave(channel: Channel): void {
    const left = channel.close().finally(() => {
      leaving.delete(left);
      options.onLeft(channel);
    });
    leaving.add(left);
  }

  async function open(given: AbortSignal): Promise<Live> {
    // One process of a server at a time, also while the last one is still on its way out.
    await Promise.all(leaving);
    if (given.aborted) throw stopped();
    take({ type: "connect" });
    installTail = "";
    const install = options.install && {
      ...options.install,
      began: () => take({ type: "installing", at: Date.now() }),
      heard(text: string) {
        installTail = (installTail + text).slice(-installTailCharacters);
      },
    };
    let current: Live | undefined;
    const onClose = (reason: TransportError) => current && onLost(current, reason);
    try {
      const {
        opened,
        toolCount,
        hasListed = false,
        owesListing = false,
      } = await attemptToOpen({ ...options, install, leave, onClose }, given);
      current = { ...opened, openedAt: Date.now(), answered: 0, hasListed, owesListing };
      live = current;
      requirement = null;
      idle.used();
      take({ type: "connected", toolCount, protocolVersion: opened.session.protocolVersion });
      opened.session.watch();
      return current;
    } catch (thrown) {
      throw given.aborted ? stopped() : failed(thrown);
    }
  }

  function failed(cause: unknown): PlaneError {
    const needsPerson = cause instanceof PlaneError;
    requirement = needsPerson ? cause : null;
    const { reason, stderrTail } = explain(cause);
    const permanent = cause instanceof TransportError && cause.permanent;
    take({
      type: "failed",
      reason,
      stderrTail,
      at: Date.now(),
      kept: options.staysConnected(),
      hopeless: needsPerson || permanent,
    });
    return needsPerson ? cause : unavailable();
  }

  /** An installer that failed is named with what to do about it. */
  function explain(cause: unknown): { reason: string; stderrTail: string | null } {
    const reason = hide(cause instanceof Error ? cause.message : String(cause));
    const said = cause instanceof TransportError ? cause.said : installTail;
    const failure = options.install?.explain(said);
    if (!failure) return { reason, stderrTail: stderrTailOf(cause, hide) ?? installLine() };
    const { installer, code, lines, remedy } = failure;
    const what = `${installer} could not install it${code === null ? "" : ` (${code})`}`;
    return {
      reason: hide(remedy === null ? `${what}: ${reason}` : `${what}. ${remedy.replace(/\.$/, "")}`),
      stderrTail: hide(lines.join(" | ")),
    };
  }

  function installLine(): string | null {
    const line = facts.installingSince === null ? null : lastLineOf(installTail);
    return line === null ? null : hide(line);
  }

  function onLost(lost: Live, reason: TransportError): void {
    if (live !== lost) return;
    live = null;
    lost.session.end();
    leave(lost.channel);
    const useful = lost.answered > 0 || Date.now() - lost.openedAt >= longLifeMs;
    const why = { reason: hide(reason.message), stderrTail: stderrTailOf(reason, hide) };
    take({ type: "lost", ...why, at: Date.now(), kept: options.staysConnected(), useful });
  }

  function unavailable(): PlaneError {
    const until = facts.cooldownUntil;
    const data = {
      server: name,
      sent: false,
      personHints: [personHints.doctor, personHints.serverLogs(name)],
      retryAt: until === null ? null : new Date(until).toISOString(),
    };
    const text = describeUnavailable(name, facts.error ?? facts.state, facts.stderrTail);
    return new PlaneError("SERVER_UNAVAILABLE", text, { data });
  }

  const stopped = () =>
    new PlaneError("SERVER_UNAVAILABLE", `Server '${name}' was stopped.`, {
      data: { server: name, sent: false, retryAt: null },
    });

  async function ensure({ force = false } = {}): Promise<Live> {
    if (live) return live;
    const rests = facts.cooldownUntil !== null && Date.now() < facts.cooldownUntil;
    // Whether a person has done what was needed is found out by asking.
    if (rests && !connecting && !force && requirement === null) throw unavailable();
    if (connecting?.given.aborted) {
      // It was closed meanwhile; later requests start over.
      await connecting.live.catch(() => undefined);
      return ensure({ force });
    }
    if (connecting) return connecting.live;
    const given = closed.signal;
    const current = { given, live: open(given) };
    connecting = current;
    const settled = () => {
      if (connecting === current) connecting = undefined;
    };
    current.live.then(settled, settled);
    return current.live;
  }

  async function close(reason: string): Promise<void> {
    closed.abort();
    closed = new AbortController();
    clearTimeout(retry);
    idle.stop();
    requirement = null;
    // At once, so that no request gets a closing session.
    const last = live;
    live = null;
    take({ type: "closed", reason });
    if (last) {
      last.session.end();
      last.peer.cancelAll(new TransportError("the connection was closed", { sent: true }));
      leave(last.channel);
    }
    await connecting?.live.catch(() => undefined);
    await Promise.all(leaving);
  }

  return {
    facts: () => facts,
    live: () => live,
    installLine,
    requirement: () => requirement,
    ensure,
    worked(used) {
      used.answered += 1;
      if (used === live && facts.failures > 0) take({ type: "worked" });
    },
    enter() {
      users += 1;
      idle.used();
    },
    leave() {
      users -= 1;
      idle.used();
    },
    lose(lost, reason) {
      const why = new TransportError(reason, { sent: true });
      lost.peer.fail(why);
      onLost(lost, why);
    },
    isInUse: () => users > 0 || connecting !== undefined,
    close,
  };
}

/** Calls `onIdle` after `limitMs` without use; 0 is never. Uses one timer however often `used` is called. */
export function createIdleTimer(limitMs: number, onIdle: () => void): { used(): void; stop(): void } {
  let usedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const arm = (ms: number) => {
    timer = setTimeout(check, Math.min(ms, maxTimerMs));
    timer.unref();
  };
  const check = () => {
    const left = usedAt + limitMs - Date.now();
    timer = undefined;
    if (left > 0) arm(left);
    else onIdle();
  };
  return {
    used() {
      usedAt = Date.now();
      if (timer === undefined && limitMs > 0) arm(limitMs);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
