import { maxTimerMs, pause } from "../lib/async/pause.ts";
import { abortable } from "../lib/async/signals.ts";
import { steadyNow, wallTime } from "../lib/async/steady-time.ts";
import { errorText } from "../lib/text/error-text.ts";
import { PlaneError, personHints } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import { type Channel, TransportError } from "../protocol/message.ts";
import {
  type ConnectionSignal,
  initialFacts,
  nextFacts,
  type ReconnectPolicy,
} from "./connection-state.ts";
import { describeUnavailable, notSent, stderrTailOf, withLoss } from "./failures.ts";
import { type InstallFailure, lastLineOf } from "./installer.ts";
import {
  attemptToOpen,
  type Install,
  type OpenAttemptOptions,
  type OpenSteps,
  type Phase,
} from "./open-attempt.ts";
import type { OpenedSession } from "./open-session.ts";

export type Live = OpenedSession & {
  openedAt: number;
  answered: number;
  hasListed: boolean;
  /** A new session whose tools must be listed before a call. */
  owesListing: boolean;
};

export type ConnectionOptions = Pick<OpenAttemptOptions, "connectTimeoutMs" | "open"> & {
  name: string;
  retry: ReconnectPolicy;
  install?:
    | (Pick<Install, "limitMs" | "isInstalled"> & {
        explain(output: string): InstallFailure | null;
      })
    | undefined;
  staysConnected(): boolean;
  emit(event: PlaneEvent): void;
  hide(text: string): string;
  /** Nothing is left of what this channel started. */
  onLeft(channel: Channel): void;
  /** The predecessor of this name: opening and closing wait for it. */
  after?: Promise<void> | undefined;
  /** 0 is for ever. */
  idleTimeoutMs?: number;
  onIdle?(): void;
};

export type ServerConnection = ReturnType<typeof createServerConnection>;

const installTailCharacters = 2_000;

/** A life this long was not cut short. */
const longLifeMs = 10_000;

type State = ReturnType<typeof createState>;

function createState(options: ConnectionOptions, onIdle: () => void) {
  return {
    options,
    idle: createIdleTimer(options.idleTimeoutMs ?? 0, onIdle),
    leaving: new Set<Promise<void>>(),
    facts: initialFacts,
    live: null as Live | null,
    connecting: undefined as
      | { signal: AbortSignal; since: number; live: Promise<Live> }
      | undefined,
    /** Sessions that take no more requests, and still answer some. */
    retired: new Set<Live>(),
    closed: new AbortController(),
    retry: undefined as NodeJS.Timeout | undefined,
    requirement: null as PlaneError | null,
    /** How far the attempt that is under way has come. */
    starting: null as { phase: Phase; since: number } | null,
    users: 0,
    /** Called when the last of them leaves. */
    onFree: [] as (() => void)[],
    installTail: "",
    /** Stands for the last failure: requests that meet it later share it. */
    loss: {},
  };
}

/** One session's life: opened when it is needed, replaced when it died, left alone while it backs off. */
export function createServerConnection(options: ConnectionOptions) {
  const state = createState(options, () => {
    if (state.users > 0 || state.live === null) return;
    void close(state, "idle");
    options.onIdle?.();
  });
  if (options.after) waitFor(state, options.after);
  return {
    facts: () => state.facts,
    live: () => state.live,
    installLine: () => installLine(state),
    /** Null where it is not being opened. */
    starting: () => (state.facts.state === "connecting" ? state.starting : null),
    /** What a person must do before it can be opened. */
    requirement: () => state.requirement,
    /** The open session, opened if need be. Many may ask at once. */
    ensure: (attempt?: { force?: boolean }) => ensure(state, attempt?.force),
    opensWithin: (ms: number) => opensWithin(state, ms),
    enter(): void {
      state.users += 1;
      state.idle.used();
    },
    leave(): void {
      state.users -= 1;
      state.idle.used();
      if (state.users === 0) for (const listener of state.onFree.splice(0)) listener();
    },
    /** Gives up on a session that only looks alive. */
    lose(lost: Live, reason: string): void {
      const error = new TransportError(reason, { sent: true });
      lost.peer.fail(error);
      onLost(state, lost, error);
    },
    isUsed: () => state.users > 0,
    /** Resolves once no request uses it. */
    whenFree(): Promise<void> {
      if (state.users === 0) return Promise.resolve();
      return new Promise((resolve) => state.onFree.push(resolve));
    },
    isInUse: () => state.users > 0 || state.connecting !== undefined,
    /** Waits until nothing is left. It may be opened again. */
    close: (reason: string) => close(state, reason),
  };
}

function applySignal(state: State, signal: ConnectionSignal): void {
  const { name, retry, emit } = state.options;
  const transition = nextFacts(name, state.facts, signal, retry);
  const { retryAt } = transition.facts;
  state.facts = transition.facts;
  clearTimeout(state.retry);
  if (retryAt !== null) {
    // A failure is in the facts.
    const retryNow = () => void ensure(state, true).catch(() => undefined);
    state.retry = setTimeout(
      retryNow,
      Math.min(maxTimerMs, Math.max(0, retryAt - steadyNow())),
    ).unref();
  }
  if (transition.event) emit(transition.event);
}

function waitFor({ leaving }: State, ending: Promise<void>): void {
  const ended = ending.finally(() => leaving.delete(ended));
  leaving.add(ended);
}

/** Closing the connection waits for it, so that nothing outlives it. */
function closeChannel(state: State, channel: Channel): void {
  const closed = channel.close().finally(() => state.options.onLeft(channel));
  waitFor(state, closed);
}

async function ensure(state: State, force = false): Promise<Live> {
  const { live, facts, connecting } = state;
  if (live) return live;
  const rests = facts.cooldownUntil !== null && steadyNow() < facts.cooldownUntil;
  // Only another try shows whether a person has done what was needed.
  if (rests && !connecting && !force && state.requirement === null) throw unavailableError(state);
  if (connecting?.signal.aborted) {
    // It was closed meanwhile; later requests start over.
    await connecting.live.catch(() => undefined);
    return ensure(state, force);
  }
  if (connecting) return connecting.live;
  const signal = state.closed.signal;
  const attempt = { signal, since: steadyNow(), live: open(state, signal) };
  state.connecting = attempt;
  const settled = () => {
    if (state.connecting === attempt) state.connecting = undefined;
  };
  attempt.live.then(settled, settled);
  return attempt.live;
}

/** False while opening takes longer; it goes on beside. What fails at once is not waited for, so that it can say why. */
async function opensWithin(state: State, ms: number): Promise<boolean> {
  const opening = ensure(state).then(
    () => true,
    () => true,
  );
  const remainingMs = ms - (steadyNow() - (state.connecting?.since ?? steadyNow()));
  return Promise.race([
    opening,
    pause(Math.max(0, remainingMs), { isBackground: true }).then(() => false),
  ]);
}

async function open(state: State, signal: AbortSignal): Promise<Live> {
  const { options } = state;
  if (signal.aborted) throw stoppedError(options.name);
  applySignal(state, { type: "connect" });
  state.installTail = "";
  state.starting = { phase: "start", since: steadyNow() };
  const install = options.install && {
    ...options.install,
    began: () => applySignal(state, { type: "installing", at: steadyNow() }),
    heard(text: string) {
      state.installTail = (state.installTail + text).slice(-installTailCharacters);
    },
  };
  let live: Live | undefined;
  const onClose = (reason: TransportError) => {
    if (live) onLost(state, live, reason);
  };
  const onRetired = (reason: TransportError) => {
    if (live) retire(state, live, reason);
  };
  try {
    const attempt = {
      ...options,
      install,
      async open(steps: OpenSteps) {
        // One process of a server at a time, also while the last one is still on its way out. The limit covers that, too.
        await abortable(Promise.all(state.leaving), steps.signal);
        return options.open({
          ...steps,
          phase(entered) {
            state.starting = { phase: entered, since: steadyNow() };
            steps.phase(entered);
          },
        });
      },
      leave: (channel: Channel) => closeChannel(state, channel),
      onClose,
      onRetired,
    };
    const {
      opened,
      toolCount,
      hasListed = false,
      owesListing = false,
    } = await attemptToOpen(attempt, signal);
    live = { ...opened, openedAt: steadyNow(), answered: 0, hasListed, owesListing };
    state.live = live;
    state.requirement = null;
    state.idle.used();
    applySignal(state, {
      type: "connected",
      toolCount,
      protocolVersion: opened.session.protocolVersion,
    });
    opened.session.watch();
    return live;
  } catch (thrown) {
    throw signal.aborted ? stoppedError(options.name) : noteFailure(state, thrown);
  }
}

function noteFailure(state: State, cause: unknown): PlaneError {
  const needsPerson = cause instanceof PlaneError;
  state.requirement = needsPerson ? cause : null;
  state.loss = {};
  const hopeless = needsPerson || (cause instanceof TransportError && cause.permanent);
  const isRetried = state.options.staysConnected();
  applySignal(state, {
    type: "failed",
    ...explain(state, cause),
    at: steadyNow(),
    isRetried,
    hopeless,
  });
  return needsPerson ? cause : unavailableError(state);
}

function explain(state: State, cause: unknown): { reason: string; stderrTail: string | null } {
  const { hide, install } = state.options;
  const reason = hide(errorText(cause));
  const failure = install?.explain(
    cause instanceof TransportError ? cause.said : state.installTail,
  );
  if (!failure) return { reason, stderrTail: stderrTailOf(cause, hide) ?? installLine(state) };
  const { installer, code, lines, remedy } = failure;
  const summary = `${installer} could not install it${code === null ? "" : ` (${code})`}`;
  const text =
    remedy === null ? `${summary}: ${reason}` : `${summary}. ${remedy.replace(/\.$/, "")}`;
  return { reason: hide(text), stderrTail: hide(lines.join(" | ")) };
}

function installLine({ facts, installTail, options }: State): string | null {
  if (facts.installingSince === null) return null;
  const line = lastLineOf(installTail);
  return line === null ? null : options.hide(line);
}

function onLost(state: State, lost: Live, reason: TransportError): void {
  if (state.live !== lost) return;
  endSession(state, lost);
  afterLife(state, lost, reason);
}

function endSession(state: State, { session, channel }: Live): void {
  session.end();
  closeChannel(state, channel);
}

/** Later requests get another session; those under way in this one are not cut. */
function retire(state: State, retired: Live, reason: TransportError): void {
  if (state.live !== retired) return;
  state.retired.add(retired);
  void retired.peer.settled().then(() => {
    if (state.retired.delete(retired)) endSession(state, retired);
  });
  afterLife(state, retired, reason);
}

function afterLife(state: State, lost: Live, reason: TransportError): void {
  const { hide, staysConnected } = state.options;
  state.live = null;
  state.loss = reason.loss;
  const answered = lost.answered > 0;
  const useful = (answered && !reason.crashed) || steadyNow() - lost.openedAt >= longLifeMs;
  const texts = { reason: hide(reason.message), stderrTail: stderrTailOf(reason, hide) };
  applySignal(state, {
    type: "lost",
    ...texts,
    at: steadyNow(),
    isRetried: staysConnected(),
    useful,
    answered,
  });
}

function unavailableError({ options: { name }, facts, loss }: State): PlaneError {
  const retryAt = facts.cooldownUntil === null ? null : wallTime(facts.cooldownUntil);
  const nextRetryAt = facts.retryAt === null ? retryAt : wallTime(facts.retryAt);
  const hints = [personHints.doctor, personHints.serverLogs(name)];
  const text = describeUnavailable(name, facts.error ?? facts.state, facts.stderrTail);
  return withLoss(
    notSent("SERVER_UNAVAILABLE", name, text, { personHints: hints, retryAt, nextRetryAt }),
    loss,
  );
}

function stoppedError(name: string): PlaneError {
  return notSent("SERVER_UNAVAILABLE", name, `Server '${name}' was stopped.`);
}

async function close(state: State, reason: string): Promise<void> {
  state.closed.abort();
  state.closed = new AbortController();
  clearTimeout(state.retry);
  state.idle.stop();
  state.requirement = null;
  // At once, so that no request gets a closing session.
  const lastLive = state.live;
  state.live = null;
  applySignal(state, { type: "closed", reason });
  const closing = lastLive === null ? [...state.retired] : [lastLive, ...state.retired];
  state.retired.clear();
  for (const live of closing) {
    live.peer.cancelAll(new TransportError("the connection was closed", { sent: true }));
    endSession(state, live);
  }
  await state.connecting?.live.catch(() => undefined);
  await Promise.all(state.leaving);
}

/** Calls `onIdle` after `limitMs` without use; 0 is never. Uses one timer however often `used` is called. */
export function createIdleTimer(limitMs: number, onIdle: () => void) {
  let usedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const arm = (ms: number) => {
    timer = setTimeout(check, Math.min(ms, maxTimerMs)).unref();
  };
  const check = () => {
    const remainingMs = usedAt + limitMs - steadyNow();
    timer = undefined;
    if (remainingMs > 0) arm(remainingMs);
    else onIdle();
  };
  return {
    used(): void {
      usedAt = steadyNow();
      if (timer === undefined && limitMs > 0) arm(limitMs);
    },
    stop(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
