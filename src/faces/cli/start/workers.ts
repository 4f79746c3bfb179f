import cluster, { type Worker } from "node:cluster";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { isWithin, pause } from "../../../lib/async/pause.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Caller, Principal } from "../../../model/principal.ts";
import type { Cli, SharedServing } from "../cli.ts";
import { printStatus, printWarning } from "../terminal/output.ts";
import { Interrupted, onHangup, terminal, untilInterrupted } from "../terminal/terminal.ts";

/** What a worker says once it listens. */
export type Ready = { url: string; workbench: string | null; servers: number };

/** Numbers of one worker, as `prom-client` hands them over. */
type Series = object[];
/** What a person does to a server is done to the copy of each worker. */
const sharedVerbs = ["connect", "disconnect", "restart"] as const;
type ServerSwitch = {
  type: "switched";
  verb: (typeof sharedVerbs)[number];
  server: string;
  principal?: Principal;
};

type FromWorker =
  | { type: "hello" }
  | { type: "alive" }
  | ServerSwitch
  | ({ type: "ready" } & Ready)
  | { type: "gather"; id: number }
  | { type: "counted"; id: string; series: Series };
type ToWorker =
  | ServerSwitch
  | { type: "begin"; pass: string }
  | { type: "beat" }
  | { type: "stop"; signal: "SIGINT" | "SIGTERM" }
  | { type: "count"; id: string }
  | { type: "gathered"; id: number; all: Series[] };

/** In the environment of a worker: its number. */
const variable = "TOOLPLANE_WORKER";
/** A worker that hangs must not keep a scrape from the others. */
const countMs = 2_000;
/** One that leaves so many of these unanswered answers no one else either. */
const beatMs = 10_000;
const maxBeats = 3;
/** One that ends sooner is likely to end again. */
const shortLifeMs = 10_000;
const restartMs = 1_000;

/** Null in a process that is no worker. */
export function workerNumber(): number | null {
  const number = terminal.env[variable];
  return number === undefined ? null : Number(number);
}

/**
 * Planes on one port, each in a process of its own; this process only hands out connections. The first one shows whether the
 * configuration works. Another one takes the place of one that ends, or hangs.
 */
export async function serveWithWorkers(
  cli: Cli,
  count: number,
  show: (ready: Ready) => void,
): Promise<number> {
  using interruption = untilInterrupted({ servesOthers: true });
  const { signal } = interruption;
  const interrupted = signal.aborted ? Promise.resolve() : once(signal, "abort");
  const hub = createHub(randomBytes(24).toString("base64url"));
  cluster.setupPrimary({ exec: process.argv[1] ?? "", args: [...cli.argv] });
  const firstWorker = hub.start(1);
  const firstOutcome = await Promise.race([
    firstWorker.ready,
    firstWorker.ended,
    interrupted.then(() => null),
  ]);
  // It has said why.
  if (typeof firstOutcome === "number") return firstOutcome;
  using _reload = onHangup(() => hub.signalAll("SIGHUP"));
  if (firstOutcome !== null) show(firstOutcome);
  const keptWorkers: Promise<void>[] = [];
  for (let number = 1; number <= count && !signal.aborted; number++)
    keptWorkers.push(hub.keep(number, signal, number === 1 ? firstWorker : undefined));
  await interrupted;
  printStatus("Stopping …");
  hub.stop(
    signal.reason instanceof Interrupted && signal.reason.isTermination ? "SIGTERM" : "SIGINT",
  );
  await Promise.all([firstWorker.ended, ...keptWorkers]);
  return 0;
}

type StartedWorker = { ready: Promise<Ready>; ended: Promise<number> };

function createHub(pass: string) {
  const workers = new Set<Worker>();
  const countReceivers = new Map<string, (series: Series) => void>();
  const latestSeries = new Map<Worker, Series>();
  const endedCounters = createEndedCounters();
  let isStopping = false;
  let countRequests = 0;
  const send = (worker: Worker, message: ToWorker) => {
    // One that is about to end takes no more messages.
    if (worker.isConnected()) worker.send(message, () => undefined);
  };

  /** Of all workers, the last known where one does not answer in time; and of those that have ended. */
  async function gather(): Promise<Series[]> {
    const allSeries: Series[] = [];
    const counting = [...workers].map(async (worker) => {
      const id = `${worker.id}.${++countRequests}`;
      const answered = new Promise<void>((resolve) => {
        countReceivers.set(id, (series) => {
          allSeries.push(series);
          latestSeries.set(worker, series);
          resolve();
        });
      });
      send(worker, { type: "count", id });
      const isAnswered = await isWithin(answered, countMs);
      countReceivers.delete(id);
      if (!isAnswered) allSeries.push(latestSeries.get(worker) ?? []);
    });
    await Promise.all(counting);
    return [...allSeries, endedCounters.series()];
  }

  function start(number: number): StartedWorker {
    const worker = cluster.fork({ [variable]: String(number) });
    workers.add(worker);
    const ready = Promise.withResolvers<Ready>();
    const exited = Promise.withResolvers<number>();
    let beating: NodeJS.Timeout | undefined;
    let unanswered = 0;
    const beat = () => {
      if (unanswered++ < maxBeats) return send(worker, { type: "beat" });
      printWarning(
        `Worker ${number} has not answered for ${(maxBeats * beatMs) / 1_000} seconds and is ended.`,
      );
      worker.process.kill("SIGKILL");
    };
    worker.on("message", (message: FromWorker) => {
      if (message.type === "hello") {
        send(worker, isStopping ? stopMessage : { type: "begin", pass });
        beating = setInterval(beat, beatMs).unref();
      } else if (message.type === "ready") ready.resolve(message);
      else if (message.type === "alive") unanswered = 0;
      else if (message.type === "counted") countReceivers.get(message.id)?.(message.series);
      else if (message.type === "switched") {
        for (const sibling of workers) if (sibling !== worker) send(sibling, message);
      } else if (message.type === "gather")
        void gather().then((allSeries) =>
          send(worker, { type: "gathered", id: message.id, all: allSeries }),
        );
    });
    worker.once("exit", (code) => {
      clearInterval(beating);
      workers.delete(worker);
      endedCounters.add(latestSeries.get(worker) ?? []);
      latestSeries.delete(worker);
      exited.resolve(code ?? 1);
    });
    return { ready: ready.promise, ended: exited.promise };
  }

  const stopMessage: ToWorker = { type: "stop", signal: "SIGTERM" };
  return {
    start,
    /** Until this process stops. */
    async keep(
      number: number,
      signal: AbortSignal,
      first: StartedWorker = start(number),
    ): Promise<void> {
      for (
        let running = first, at = performance.now();
        ;
        running = start(number), at = performance.now()
      ) {
        await running.ended;
        if (isStopping) return;
        printWarning(`Worker ${number} ended and is started again.`);
        if (performance.now() - at < shortLifeMs) await pause(restartMs, { signal });
        if (isStopping) return;
      }
    },
    signalAll(name: NodeJS.Signals): void {
      for (const worker of workers) worker.process.kill(name);
    },
    stop(name: "SIGINT" | "SIGTERM"): void {
      isStopping = true;
      for (const worker of workers) send(worker, { type: "stop", signal: name });
    },
  };
}

type Value = { value: number; labels: object; metricName?: string };
type Metric = { name: string; type: string; values: Value[] };

/**
 * What workers had counted that have ended since: a sum that falls would look like a start from zero, and all that was
 * counted before like new.
 */
function createEndedCounters() {
  const ended = new Map<string, { metric: Metric; values: Map<string, Value> }>();
  return {
    /** Of gauges nothing is left with the worker. */
    add(series: Series): void {
      for (const metric of series as Metric[]) {
        if (metric.type !== "counter" && metric.type !== "histogram") continue;
        const counter = ended.get(metric.name) ?? { metric, values: new Map<string, Value>() };
        ended.set(metric.name, counter);
        for (const sample of metric.values) {
          const sampleKey = JSON.stringify([sample.metricName, sample.labels]);
          counter.values.set(sampleKey, {
            ...sample,
            value: sample.value + (counter.values.get(sampleKey)?.value ?? 0),
          });
        }
      }
    },
    series: (): Series =>
      [...ended.values()].map(({ metric, values }) => ({
        ...metric,
        values: [...values.values()],
      })),
  };
}

export type JoinedWorker = SharedServing & {
  number: number;
  ready(ready: Ready): void;
  stopped: AbortSignal;
  /** The plane as its faces use it: a server that is restarted here is restarted by all. */
  withOthers(plane: Plane): Plane;
};

/** What a worker has in common with the others. Without the process that started it, a worker stops. */
export async function joinWorkers(): Promise<Omit<JoinedWorker, "number">> {
  const stopped = new AbortController();
  const stop = (signal: "SIGINT" | "SIGTERM") => stopped.abort(new Interrupted(signal));
  const begun = Promise.withResolvers<string>();
  const gathering = new Map<number, (allSeries: Series[]) => void>();
  let count: () => Promise<Series> = async () => [];
  let follow: (message: ServerSwitch) => void = () => undefined;
  let gatherRequests = 0;
  const send = (message: FromWorker) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
  };
  process.on("message", (message: ToWorker) => {
    if (message.type === "begin") begun.resolve(message.pass);
    else if (message.type === "beat") send({ type: "alive" });
    else if (message.type === "gathered") gathering.get(message.id)?.(message.all);
    else if (message.type === "switched") follow(message);
    else if (message.type === "count")
      void count().then((series) => send({ type: "counted", id: message.id, series }));
    else {
      begun.resolve("");
      stop(message.signal);
    }
  });
  // Node would end the process at once.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once("disconnect", () => stop("SIGTERM"));
  send({ type: "hello" });
  const pass = await begun.promise;
  // It does not keep the process alive.
  process.channel?.unref();
  return {
    pass,
    stopped: stopped.signal,
    ready: (ready) => send({ type: "ready", ...ready }),
    withOthers(plane) {
      const ownServers = plane.servers;
      // What comes of it is in the state of the server.
      follow = ({ verb, server, principal }) =>
        void Promise.resolve(ownServers[verb](server, principal && { principal })).catch(
          () => undefined,
        );
      const switchEverywhere =
        (verb: ServerSwitch["verb"]) => async (server: string, caller?: Caller) => {
          const status = await ownServers[verb](server, caller);
          send({
            type: "switched",
            verb,
            server,
            ...(caller?.principal && { principal: caller.principal }),
          });
          return status;
        };
      const verbs = Object.fromEntries(sharedVerbs.map((verb) => [verb, switchEverywhere(verb)]));
      return Object.create(plane, { servers: { value: { ...ownServers, ...verbs } } });
    },
    async gatherMetrics() {
      const id = ++gatherRequests;
      const gathered = new Promise<Series[]>((resolve) => gathering.set(id, resolve));
      send({ type: "gather", id });
      const isAnswered = await isWithin(gathered, 2 * countMs);
      gathering.delete(id);
      return isAnswered ? gathered : [await count()];
    },
    countWith(ownMetrics) {
      count = ownMetrics;
    },
  };
}
