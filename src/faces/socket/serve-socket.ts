import asyncHooks from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { chmodSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { isWithin, pause } from "../../lib/async/pause.ts";
import { tryLock } from "../../lib/lock-file.ts";
import { version } from "../../lib/version.ts";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { methodOf } from "../../operations/operation.ts";
import { verbTable } from "../../operations/verb-table.ts";
import { AttachedClients, type ClientStream } from "./attached-clients.ts";
import { type Farewell, otherVariables } from "./attachment.ts";
import {
  callElsewhere,
  firstLineOf,
  type PlaneLine,
  type RemoteAnswer,
  type SocketRequest,
  splitLines,
} from "./callbacks.ts";
import {
  claimDirectories,
  isAlive,
  type PlanePlace,
  type PlaneRecord,
  readPlaneRecord,
} from "./plane-place.ts";

/** The calls that one asker has made. */
const asking = new asyncHooks.AsyncLocalStorage<Set<string>>();

/** From now on it is known which calls an asker has made. */
function followCalls(plane: Plane): () => void {
  return plane.on("tool.call", ({ callId }) => void asking.getStore()?.add(callId));
}

/** An asker whose answer is under way, with the calls that it has made. */
type Asking = { method: unknown; calls: Set<string>; closed: Promise<void> };

/**
 * Answers one question about this plane. `callIds` gets the calls that the client makes. `answerAboutItself` answers what is no
 * method of a plane; undefined where it cannot.
 */
async function answerAsker(
  plane: Plane,
  socket: Socket,
  request: SocketRequest,
  callIds: Set<string>,
  answerAboutItself: () => Promise<unknown>,
): Promise<void> {
  const disconnect = new AbortController();
  socket.on("close", () => disconnect.abort(new Error("the client disconnected")));
  const asker = { socket, signal: disconnect.signal, callIds };
  const answering = answerRequest(plane, request, asker, answerAboutItself).catch(
    (thrown): RemoteAnswer => {
      const { code, message, data } = toPlaneError(thrown);
      return { error: { code, message, data } };
    },
  );
  // It was paused after its first line, until the listener for the others is there.
  socket.resume();
  const answer = await answering;
  if (!socket.destroyed) socket.end(`${JSON.stringify(answer)}\n`);
}

async function answerRequest(
  plane: Plane,
  { method, args: sentArgs = [], hears = [], events = [] }: SocketRequest,
  { socket, signal, callIds }: { socket: Socket; signal: AbortSignal; callIds: Set<string> },
  answerAboutItself: () => Promise<unknown>,
): Promise<RemoteAnswer> {
  if (method === undefined) {
    const value = await answerAboutItself();
    if (value !== undefined) return { value };
  }
  const verb = verbTable.find(({ name, isRemote }) => isRemote && name === method);
  const ask = verb && methodOf(plane, verb.name);
  if (ask === undefined)
    throw new PlaneError("USAGE", `A plane has no method '${method}' to ask for.`);
  // JSON has no word for what was left out and writes null.
  const args = sentArgs.map((value) => value ?? undefined);
  const elsewhere = callElsewhere(socket, hears);
  socket.on("data", splitLines(elsewhere.onLine));
  const callerIndex = verb?.caller ?? null;
  if (callerIndex !== null)
    args[callerIndex] = {
      ...(args[callerIndex] as object),
      signal,
      address: "socket",
      ...elsewhere.callbacks,
    };
  const unsubscribers = events.map((type) =>
    plane.on(type, (event) => {
      if ("callId" in event && !callIds.has(event.callId)) return;
      if (!socket.destroyed) socket.write(`${JSON.stringify({ event } satisfies PlaneLine)}\n`);
    }),
  );
  try {
    return { value: await asking.run(callIds, () => ask(...args)) };
  } finally {
    for (const unsubscribe of unsubscribers) unsubscribe();
  }
}

/** Taking over a socket takes a moment; a lock that is older was left by a plane that was killed. */
const bindingStaleMs = 2_000;
const bindingPollMs = 10;
/** A background plane that hands over closes its socket at once, and has ended once its clients have gone. */
const handoverMs = 10_000;
/** The first client has started the plane and needs a moment to attach. */
const firstClientMs = 10_000;
/** How often a background plane checks that it can still be found. */
const lookMs = 2_000;
/** The time that work of attached clients, and calls of commands, have to end; while the plane drains, longer. */
const waitMs = 5_000;
/** What is still under way then is ended, and answered within this time. */
const answerWaitMs = 2_000;

export type SocketOptions = {
  place: PlanePlace;
  /** The time from its last client to its end; null for a plane that a person started. */
  idleMs: number | null;
  directory: string | null;
  environment: Readonly<Record<string, string | undefined>>;
  serveClient(client: ClientStream): Promise<void>;
};

/** Why a background plane ends: it is idle, it is stopped, or another takes its place. */
export type EndReason = "idle" | Farewell;

export type ServingSocket = {
  over: Promise<EndReason>;
  close(options?: { drainMs?: number; bye?: Farewell }): Promise<void>;
};

/** Lets others of the same user ask this plane and attach to it. Null when another plane is there already, or no socket can be. */
export async function serveSocket(
  plane: Plane,
  options: SocketOptions,
): Promise<ServingSocket | null> {
  const { place, idleMs } = options;
  const isBackground = idleMs !== null;
  const ended = Promise.withResolvers<EndReason>();
  const open = new Set<Socket>();
  const askers = new Map<Socket, Asking>();
  const record: PlaneRecord = {
    pid: process.pid,
    version,
    files: [...place.files],
    isFound: place.isFound,
    background: isBackground,
    directory: options.directory,
    startedAt: new Date().toISOString(),
    log: isBackground ? place.log : null,
    key: randomBytes(16).toString("hex"),
  };
  const clients = new AttachedClients(plane, record, options, (why) => ended.resolve(why));
  const idle = isBackground ? watchIdle(open, idleMs, () => ended.resolve("idle")) : null;

  async function takeConnection(socket: Socket): Promise<void> {
    const request = await firstLineOf(socket);
    if (request === null) return;
    const { attach, about, compare, stop } = request;
    if (attach !== undefined) return clients.take(attach, socket);
    const calls = new Set<string>();
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    askers.set(socket, { method: request.method, calls, closed });
    void closed.then(() => askers.delete(socket));
    await answerAsker(plane, socket, request, calls, async () => {
      const { key: _, ...publicRecord } = record;
      if (about !== undefined) return { ...publicRecord, clients: clients.count };
      if (compare !== undefined) return otherVariables(compare, options.environment);
      if (stop === undefined) return undefined;
      if (!isBackground)
        throw new PlaneError(
          "USAGE",
          `A person started this plane (process ${process.pid}); stop it there.`,
        );
      // Not before it is answered.
      socket.once("close", () => ended.resolve(stop === "handover" ? "handover" : "stopped"));
      return true;
    });
  }

  const server = createServer((socket) => {
    open.add(socket);
    idle?.look();
    socket
      .on("error", () => undefined)
      .on("close", () => {
        open.delete(socket);
        idle?.look();
      });
    void takeConnection(socket);
  });
  if (claimDirectories(place) !== null) return null;
  const replaced = await bind(server, record, options);
  if (replaced === null) return null;
  // Its servers are ours now, and must not run twice.
  if (replaced.pid !== undefined) await untilGone(replaced.pid);
  const letGoOfCalls = followCalls(plane);
  const watch = isBackground ? watchSocket(place, () => idle?.leave()) : null;
  return {
    over: ended.promise,
    async close({ drainMs = 0, bye = "stopped" } = {}) {
      idle?.stop();
      clearInterval(watch ?? undefined);
      if (readPlaneRecord(place.record)?.key === record.key) rmSync(place.record, { force: true });
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const isCalling = (socket: Socket) => hasCalls(askers.get(socket));
      for (const socket of open) if (!clients.has(socket) && !isCalling(socket)) socket.destroy();
      const limitMs = Math.max(waitMs, drainMs);
      await Promise.all([clients.dismiss(bye, limitMs), finishCalls(plane, askers, limitMs)]);
      for (const socket of askers.keys()) socket.destroy();
      letGoOfCalls();
      await closed;
    },
  };
}

/** One that only watches has nothing to finish. */
function hasCalls(asking: Asking | undefined): boolean {
  return asking !== undefined && (asking.method === "call" || asking.calls.size > 0);
}

/** As over HTTP: calls of commands are drained, and what outlasts that is answered all the same. */
async function finishCalls(
  plane: Plane,
  askers: ReadonlyMap<Socket, Asking>,
  limitMs: number,
): Promise<void> {
  const calling = [...askers.values()].filter(hasCalls);
  const finished = Promise.all(calling.map(({ closed }) => closed));
  if (await isWithin(finished, limitMs)) return;
  await isWithin(plane.endCalls(), answerWaitMs);
  await isWithin(finished, answerWaitMs);
}

/** Two planes that find the same dead socket must not remove each other's, so one after the other looks. */
async function bind(
  server: Server,
  record: PlaneRecord,
  { place, idleMs }: SocketOptions,
): Promise<{ pid?: number } | null> {
  let release = () => {};
  try {
    release = await lock(place.binding);
    let replaced = {};
    if (await isAnswered(place.socket)) {
      const occupant = readPlaneRecord(place.record);
      if (idleMs !== null || occupant === null || !occupant.background) return null;
      if (!(await takeOver(place.socket, occupant.pid))) return null;
      replaced = { pid: occupant.pid };
    }
    if (process.platform !== "win32") rmSync(place.socket, { force: true });
    // Written first: a client that reaches the socket compares what it gets with what is written.
    const fresh = `${place.record}.${process.pid}`;
    writeFileSync(fresh, JSON.stringify(record), { mode: 0o600 });
    renameSync(fresh, place.record);
    await new Promise<void>((resolve, reject) =>
      server.once("error", reject).listen(place.socket, resolve),
    );
    if (process.platform !== "win32") chmodSync(place.socket, 0o600);
    return replaced;
  } catch {
    // The socket is a convenience; a directory that allows none must not keep a plane from serving.
    server.close();
    return null;
  } finally {
    release();
  }
}

async function lock(file: string): Promise<() => void> {
  for (;;) {
    const release = tryLock(file, bindingStaleMs);
    if (release !== null) return release;
    await pause(bindingPollMs);
  }
}

/** A plane that a person starts takes the place of one that a client has started, and its clients with it. */
async function takeOver(path: string, pid: number): Promise<boolean> {
  const socket = connect(path);
  socket.on("error", () => undefined);
  socket.end(`${JSON.stringify({ stop: "handover" })}\n`);
  const until = Date.now() + handoverMs;
  while (isAlive(pid) && (await isAnswered(path))) {
    if (Date.now() > until) return false;
    await pause(bindingPollMs);
  }
  return true;
}

async function untilGone(pid: number): Promise<void> {
  const until = Date.now() + handoverMs;
  while (isAlive(pid) && Date.now() < until) await pause(bindingPollMs);
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** Calls `onIdle` after this time without a connection. */
function watchIdle(open: ReadonlySet<Socket>, idleMs: number, onIdle: () => void) {
  let isFindable = true;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined = setTimeout(onIdle, Math.max(idleMs, firstClientMs));
  const restartTimer = () => {
    clearTimeout(timer);
    // Sockets that close while the plane stops must not start it again.
    if (isStopped) return;
    timer = open.size > 0 ? undefined : setTimeout(onIdle, isFindable ? idleMs : 0);
  };
  return {
    look: restartTimer,
    /** No new client can find it. */
    leave() {
      isFindable = false;
      restartTimer();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** A data directory that was deleted, or a socket that another plane took, leaves a plane that no client can find. */
function watchSocket({ socket }: PlanePlace, onGone: () => void): NodeJS.Timeout | null {
  if (process.platform === "win32") return null;
  const ownInode = lstatSync(socket, { throwIfNoEntry: false })?.ino;
  const timer = setInterval(() => {
    if (lstatSync(socket, { throwIfNoEntry: false })?.ino === ownInode) return;
    clearInterval(timer);
    onGone();
  }, lookMs);
  return timer.unref();
}
