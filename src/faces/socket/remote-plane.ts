import { connect, type Socket } from "node:net";
import { createEventBus } from "../../lib/async/event-bus.ts";
import { pause } from "../../lib/async/pause.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { strangerIn } from "../../lib/private-directory.ts";
import { nounFor } from "../../lib/text/wording.ts";
import { version } from "../../lib/version.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { EventType, PlaneEvent } from "../../model/events.ts";
import { isObject } from "../../model/json.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import { anonymous, type Principal, wholePrincipal, withListed } from "../../model/principal.ts";
import { bindCaller } from "../../operations/bind-caller.ts";
import { verbTable } from "../../operations/verb-table.ts";
import { type Marks, settingMarks } from "./attachment.ts";
import {
  answerLine,
  type Callbacks,
  callbackNames,
  type PlaneLine,
  parseLine,
  type RemoteAnswer,
  splitLines,
} from "./callbacks.ts";
import {
  isAlive,
  type PlanePlace,
  type PlaneRecord,
  placedCaller,
  readPlaneRecord,
} from "./plane-place.ts";

/** It lets its clients finish for 5 s, and its servers have 3 s to end. */
const stopMs = 15_000;
const stopPollMs = 20;

/** What a plane says of itself. */
export type RemotePlaneInfo = Omit<PlaneRecord, "key"> & { clients: number };

/** The plane that serves in this place, as if it were here. Null when none answers. `directory` is where the caller works. */
export async function openRemotePlane(
  place: PlanePlace,
  who: Caller,
  directory: string | null = null,
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Plane | null> {
  if (place.directories.some((directory) => strangerIn(directory) !== null)) return null;
  const record = readPlaneRecord(place.record);
  if (record === null) return null;
  const path = place.socket;
  const config = await ask<Config>(path, { method: "config" }).catch(() => null);
  if (config === null) return null;
  if (record.version !== version) throw otherVersion(record);
  await requireSameSettings(path, environment, record);
  const bus = createEventBus<PlaneEvent>();
  const listeners = new Map<EventType, number>();
  const principal = who.principal && placedCaller(who.principal, directory, place);
  const caller = principal ? { ...who, principal: withListed(principal, config.users) } : who;
  const remoteNouns: Record<string, unknown> = {};
  for (const { name: method, caller: callerIndex, isRemote } of verbTable) {
    if (!isRemote) continue;
    const [noun, verb] = method.split(".") as [string, string?];
    const askVerb = async (...args: unknown[]) => {
      const { signal, onMessage, askHere, ...options } = {
        ...((callerIndex === null ? undefined : args[callerIndex]) as Options),
      };
      if (callerIndex !== null) args[callerIndex] = { ...caller, ...options };
      const callbacks = withoutUndefined({ onMessage, askHere });
      const events = [...listeners.keys()];
      return ask(path, { method, args }, { signal, callbacks, events, onEvent: bus.emit });
    };
    remoteNouns[noun] =
      verb === undefined ? askVerb : { ...(remoteNouns[noun] as object), [verb]: askVerb };
  }
  const answeredHere: Partial<Plane> = {
    isRemote: true,
    isBackground: record.background,
    // Its problems were reported where it was started.
    config: () => ({ ...config, problems: [] }),
    // A running plane is shown as it is; nothing is connected for it.
    servers: {
      ...(remoteNouns.servers as Plane["servers"]),
      list: () => ask(path, { method: "servers.list", args: [caller] }),
      get: (name) => ask(path, { method: "servers.get", args: [name, caller] }),
      logs: (name) => ask(path, { method: "servers.logs", args: [name, caller] }),
    },
    identity: {
      ...(remoteNouns.identity as Plane["identity"]),
      usualCaller: () => caller.principal ?? anonymous,
    },
    // Heard while something is asked: of servers everything, of calls those that are made here.
    on(type, listener) {
      const leave = bus.on(type, listener as (event: PlaneEvent) => void);
      listeners.set(type, (listeners.get(type) ?? 0) + 1);
      return () => {
        leave();
        const remaining = (listeners.get(type) ?? 1) - 1;
        if (remaining > 0) listeners.set(type, remaining);
        else listeners.delete(type);
      };
    },
    start() {},
    drain() {},
    endCalls: async () => undefined,
    stop: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const remote = {
    ...remoteNouns,
    ...answeredHere,
    as: (fields: Partial<Principal>, via: Pick<Caller, "face" | "address"> = {}) => {
      const principal = wholePrincipal(fields);
      return onlyWhatCanBeAsked(bindCaller(remote, { ...caller, ...via, principal }));
    },
  };
  return onlyWhatCanBeAsked(remote as unknown as Plane);
}

/** Its answers would be read as those of this version. A plane of our own would change the store under it. */
function otherVersion({ version: running, pid, background }: PlaneRecord): PlaneError {
  const remedy = background
    ? "Stop it first: toolplane stop"
    : "Start that one again with this version";
  const message = `A plane of version ${running} (process ${pid}) serves this configuration, and this is ${version}. ${remedy}.`;
  return new PlaneError("CONFLICT", message, { data: { running, version, pid } });
}

/** What a variable orders here would have no effect there, and nothing would tell. */
async function requireSameSettings(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
  { pid }: PlaneRecord,
): Promise<void> {
  const marks = settingMarks(environment);
  if (marks === null) return;
  const variables = await ask<string[]>(path, { compare: marks });
  if (variables.length === 0) return;
  const variableNames = variables.join(", ");
  const message =
    `${variableNames} ${nounFor(variables.length, "is", "are")} set here, and the plane that serves this configuration ` +
    `(process ${pid}) was started without. Add --standalone for a plane of your own, or start that one again with it.`;
  throw new PlaneError("USAGE", message, { data: { variables, pid } });
}

type Options = ({ signal?: AbortSignal } & Callbacks) | undefined;

/** A plane, or the verbs of one noun of it: what cannot be asked of another process is refused with a remedy. */
function onlyWhatCanBeAsked<T extends object>(part: T, noun: string | null = null): T {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof name === "symbol" || name === "then") return value;
      if (value === undefined && !(name in target))
        throw new PlaneError(
          "USAGE",
          `'${noun === null ? name : `${noun}.${name}`}' cannot be asked of a plane that serves already. Add --standalone.`,
        );
      if (isObject(value) && noun === null) return onlyWhatCanBeAsked(value, name);
      return value;
    },
  });
}

/** What the plane of this place says of itself; null when none answers. */
export async function askAbout({ socket }: PlanePlace): Promise<RemotePlaneInfo | null> {
  return ask<RemotePlaneInfo>(socket, { about: true }).catch(() => null);
}

/** Ends the background plane of this place and waits until it is gone; rejects for one that a person started. */
export async function askToStop({ socket }: PlanePlace, pid: number): Promise<void> {
  await ask(socket, { stop: "stopped" });
  const until = Date.now() + stopMs;
  while (isAlive(pid) && Date.now() < until) await pause(stopPollMs);
}

type RemoteRequest =
  | { method: string; args?: unknown[] }
  | { about: true }
  | { compare: Marks }
  | { stop: string };
type RequestOptions = {
  signal?: AbortSignal | undefined;
  callbacks?: Callbacks;
  events?: EventType[];
  onEvent?(event: PlaneEvent): void;
};

async function ask<T>(
  path: string,
  question: RemoteRequest,
  asking: RequestOptions = {},
): Promise<T> {
  const { signal, callbacks = {}, events = [] } = asking;
  signal?.throwIfAborted();
  const socket = connect(path);
  const hangUp = () => socket.destroy(signal?.reason as Error);
  signal?.addEventListener("abort", hangUp, { once: true });
  const send = (line: unknown) =>
    void (socket.destroyed || socket.write(`${JSON.stringify(line)}\n`));
  try {
    const answering = lastLine(socket, asking, send);
    const hears = callbackNames.filter((name) => callbacks[name] !== undefined);
    send({
      ...question,
      ...(hears.length > 0 && { hears }),
      ...(events.length > 0 && { events }),
    });
    const answer = await answering;
    if (!("error" in answer)) return answer.value as T;
    const { code, message, data } = answer.error;
    throw new PlaneError(code, message, { data });
  } finally {
    signal?.removeEventListener("abort", hangUp);
    socket.destroy();
  }
}

/** The answer; what comes before it is passed on as it comes. */
function lastLine(
  socket: Socket,
  { callbacks = {}, onEvent = () => undefined }: RequestOptions,
  send: (line: unknown) => void,
): Promise<RemoteAnswer> {
  const open = new Map<number, AbortController>();
  return new Promise((resolve, reject) => {
    const giveUp = (why: string) =>
      reject(new PlaneError("OUTCOME_UNKNOWN", `${why}; what was asked of it may have been done.`));
    const onLine = (text: string) => {
      const line = parseLine<PlaneLine>(text);
      if (line === null)
        return giveUp("The plane that serves here answered with what is no line of JSON");
      if (!answerLine(line, callbacks, open, send, onEvent)) resolve(line);
    };
    socket.on("data", splitLines(onLine)).on("error", reject);
    socket.on("close", () => {
      for (const question of open.values()) question.abort();
      giveUp("The plane that serves here ended before it answered");
    });
  });
}
