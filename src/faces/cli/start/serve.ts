import { once } from "node:events";
import { countOf } from "../../../lib/text/wording.ts";
import type { Config, Manifests } from "../../../model/config/config.ts";
import { isLoopback, parseStoreAddress } from "../../../model/config/settings.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { bundledServers } from "../commands/clients.ts";
import { keyState } from "../commands/keys.ts";
import { openBrowser } from "../commands/servers.ts";
import { changedDefaultsNotice } from "../terminal/changed-defaults.ts";
import { colors, print, printStatus, printWarning } from "../terminal/output.ts";
import { Interrupted, terminal, untilInterrupted } from "../terminal/terminal.ts";
import { openPlane, warnAboutConfigProblems } from "../with-plane.ts";
import { printServerChanges, reloadOnHangup } from "./serving.ts";
import type { JoinedWorker, Ready } from "./workers.ts";

type ServeOptions = GlobalOptions & {
  host: string;
  port: number;
  allowHost?: string[];
  publicUrl?: string;
  tlsCert?: string;
  tlsKey?: string;
  trustProxy?: string[];
  open?: boolean;
  printPass?: boolean;
  drainSeconds: number;
  background?: boolean;
  idleExit: number;
  workers: number;
};

export async function runServe(cli: Cli, options: ServeOptions): Promise<number> {
  if (options.background) return (await import("./serving.ts")).serveInBackground(cli, options);
  if (options.workers === 1) return servePlane(cli, options, null);
  const { joinWorkers, serveWithWorkers, workerNumber } = await import("./workers.ts");
  const number = workerNumber();
  if (number !== null) return servePlane(cli, options, { number, ...(await joinWorkers()) });
  return serveWithWorkers(cli, options.workers, (ready) => announce(ready, options));
}

/** Alone, or as one of several workers. What is said once is said by the first of them. */
async function servePlane(
  cli: Cli,
  options: ServeOptions,
  worker: JoinedWorker | null,
): Promise<number> {
  const tls = tlsOf(options);
  using interruption = untilInterrupted({ servesOthers: true });
  const isFirst = worker === null || worker.number === 1;
  // What is wrong with the configuration is said once.
  const workerOptions: ServeOptions = isFirst ? options : { ...options, logLevel: "error" };
  await using plane = await openPlane(cli, workerOptions, {
    fallback: { mcpServers: bundledServers },
    watch: true,
    answersQuestions: true,
    relays: true,
    schedules: true,
    exposed: isExposed(options),
    publicUrl: options.publicUrl,
  });
  if (worker) requireSharedStore(plane, options);
  plane.on("store.lost", ({ reason }) =>
    printWarning(`The store cannot be reached: ${reason}. What needs it fails until it is back.`),
  );
  plane.on("store.back", () => printStatus("The store is back."));
  plane.on("telemetry.lost", ({ reason }) =>
    printWarning(`The OTLP collector takes nothing: ${reason}.`),
  );
  plane.on("telemetry.back", () => printStatus("The OTLP collector is back."));
  // Lines about servers come behind the address.
  const showsServers = isFirst && options.logLevel !== "error" && options.logLevel !== "warn";
  const changes = showsServers ? printServerChanges(plane, { isHeldBack: true }) : null;
  // Servers take longest: they start while the rest is loaded.
  plane.start();
  // Problems of the store are said before the address is.
  await plane.readiness();
  await plane.identity.requireSignIn();
  const {
    host,
    port,
    allowHost: allowHosts = [],
    dataDir: dataDirectory,
    config: files = [],
  } = options;
  const serving = await cli.serve(worker?.withOthers(plane) ?? plane, {
    host,
    port,
    allowHosts,
    files,
    dataDirectory,
    directory: terminal.directory(),
    warn: printWarning,
    ...(worker && { shared: worker }),
    tls,
    trustProxy: options.trustProxy ?? [],
  });
  const { url, workbench } = serving;
  const ready = { url, workbench, servers: Object.keys(plane.config().servers).length };
  if (worker) worker.ready(ready);
  else announce(ready, options);
  const { publicUrl = "" } = plane.config().auth;
  const publicHost = URL.parse(publicUrl)?.hostname ?? allowHosts[0] ?? host;
  if (isFirst && (isExposed(options) || !isLoopback(publicHost)))
    await warnAboutMissingKey(plane, publicHost);
  if (isFirst) await warnAboutChangedDefaults(plane);
  if (isFirst && !serving.hasSocket) printStatus(await whyUnseen(cli, { files, dataDirectory }));
  changes?.release();
  let lastConfig = plane.config();
  if (isFirst)
    plane.on("config.changed", ({ added, removed, changed }) => {
      const newConfig = plane.config();
      printStatus(
        `Configuration applied: ${renderChange({ added, removed, changed }, lastConfig, newConfig)}`,
      );
      lastConfig = newConfig;
      warnAboutConfigProblems(plane.config().problems, options, { namesErrors: true });
    });
  plane.on("config.rejected", ({ reason }) =>
    printWarning(`The changed configuration was not applied: ${reason}`),
  );
  using _reload = reloadOnHangup(plane, { isSaid: isFirst });
  const { signal } = interruption;
  const ending = worker ? AbortSignal.any([signal, worker.stopped]) : signal;
  if (!ending.aborted) await once(ending, "abort");
  const drainMs = drainTime(ending, options);
  if (worker === null)
    printStatus(drainMs > 0 ? `Stopping in ${options.drainSeconds} s …` : "Stopping …");
  await serving.close({ drainMs });
  return 0;
}

/** Why commands and clients will not find this plane. */
async function whyUnseen(
  cli: Cli,
  place: { files: readonly string[]; dataDirectory: string | undefined },
) {
  const servingPlane = await cli.aboutPlane({ ...place, directory: terminal.directory() });
  const options = { dataDir: place.dataDirectory } as GlobalOptions;
  const reason = servingPlane
    ? `Another plane (process ${servingPlane.pid}) serves this configuration`
    : `No socket can be made in ${await cli.dataDirectory(options)}`;
  return `${reason}, so commands and clients will not find this one. Use --data-dir to keep planes apart.`;
}

/** A file has one writer. */
function requireSharedStore(
  plane: Plane,
  { store = plane.config().store, workers }: ServeOptions,
): void {
  const address = parseStoreAddress(store);
  if ("kind" in address && address.kind === "postgres") return;
  const remedy =
    "Set 'store' to the address of a Postgres database, such as postgres://user@host:5432/database, or leave '--workers' out.";
  throw new PlaneError(
    "USAGE",
    `'--workers ${workers}' needs a store that several processes share, and this one is a file. ${remedy}`,
  );
}

function tlsOf({
  tlsCert: cert,
  tlsKey: key,
}: ServeOptions): { cert: string; key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new PlaneError(
    "USAGE",
    "TLS needs both: the certificate (--tls-cert) and its key (--tls-key).",
  );
}

/** A proxy in front of a plane on this machine may let any client through. */
function isExposed({ host, allowHost = [] }: ServeOptions): boolean {
  return !isLoopback(host) || allowHost.length > 0;
}

/** A person who stops it at the keyboard does not want to wait. */
function drainTime({ reason }: AbortSignal, { drainSeconds }: ServeOptions): number {
  if (reason instanceof Interrupted && reason.isTermination) return drainSeconds * 1_000;
  return 0;
}

function announce(
  { url, workbench: link, servers }: Ready,
  { json, printPass, open, workers }: ServeOptions,
): void {
  // Without what is behind the #: every user of this machine can see what programs are started with.
  if (open) openBrowser(`${url}/workbench/`);
  // What is behind the # lets its reader change everything: a log or a pipe keeps it for others.
  const isShown = printPass || terminal.stdout.isTTY;
  const workbench = isShown ? link : (link?.split("#", 1)[0] ?? null);
  if (json) return print(JSON.stringify({ url, servers, workbench }));
  const processNote = workers === 1 ? "" : ` by ${workers} processes`;
  print(
    `${colors.bold("Toolplane")} serves ${countOf(servers, "server")} at ${colors.cyan(url)}${processNote}`,
  );
  if (workbench !== null) print(`  open    ${workbench}`);
  if (workbench !== link)
    print("          to look; --print-pass prints the link that also changes things");
  print(`  tools   ${url}/tools`);
  print(`  mcp     ${url}/mcp`);
  print(`  health  ${url}/healthz`);
  print(`  stop    Ctrl-C`);
}

/** A plane that is open to others and has no key refuses every request. */
async function warnAboutMissingKey(plane: Plane, host: string): Promise<void> {
  const { jwt, issuer, server } = plane.config().auth;
  if ([jwt, issuer, server].some((method) => method !== undefined)) return;
  if ((await plane.keys.list()).every((key) => keyState(key) !== "live"))
    printWarning(
      `${host} can be reached from elsewhere, so every request needs a key, and there is none. Make one: toolplane keys create NAME`,
    );
}

/** A store that cannot be read has been reported. */
async function warnAboutChangedDefaults(plane: Plane): Promise<void> {
  const defaults = await plane.defaults.list().catch(() => null);
  const notice = defaults && changedDefaultsNotice(defaults);
  if (notice !== null) printWarning(notice);
}

/** Servers by name, what manifests define by number. */
export function renderChange(
  servers: Record<string, string[]>,
  before: Config,
  now: Config,
): string {
  const changes: string[] = [];
  for (const [what, names] of Object.entries(servers))
    if (names.length > 0) changes.push(`${what} ${names.join(", ")}`);
  for (const kind of ["tools", "skills", "tasks", "jobs"] as const) {
    const count = countDifferent(entriesOf(before, kind), entriesOf(now, kind));
    if (count > 0) changes.push(`${countOf(count, kind.slice(0, -1))} changed`);
  }
  return changes.join("; ") || "no server and no tool changed";
}

function entriesOf(
  { tools, fromManifests }: Config,
  kind: keyof Manifests,
): ReadonlyMap<string, string> {
  const configuredTools = kind === "tools" ? Object.values(tools) : [];
  const entries = [...configuredTools, ...fromManifests[kind]].map((entry) => [
    JSON.stringify([entry.name, entry.persona]),
    JSON.stringify(entry),
  ]);
  return new Map(entries as [string, string][]);
}

function countDifferent(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): number {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => before.get(name) !== now.get(name)).length;
}
