import { once } from "node:events";
import { countOf } from "../../../lib/text/wording.ts";
import type { Config, Manifests } from "../../../model/config/config.ts";
import { isLoopback } from "../../../model/config/settings.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, GlobalOptions, Serving } from "../cli.ts";
import { bundledServers } from "../commands/clients.ts";
import { keyState } from "../commands/keys.ts";
import { openBrowser } from "../commands/servers.ts";
import { colors, print, printStatus, printWarning } from "../terminal/output.ts";
import { Interrupted, terminal, untilInterrupted } from "../terminal/terminal.ts";
import { openPlane, warnAboutConfigProblems } from "../with-plane.ts";
import { printServerChanges, reloadOnHangup } from "./serving.ts";

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
};

export async function runServe(cli: Cli, options: ServeOptions): Promise<number> {
  if (options.background) return (await import("./serving.ts")).serveInBackground(cli, options);
  const tls = tlsOf(options);
  using interruption = untilInterrupted({ servesOthers: true });
  await using plane = await openPlane(cli, options, {
    fallback: { mcpServers: bundledServers },
    watch: true,
    answersQuestions: true,
    relays: true,
    schedules: true,
    exposed: isExposed(options),
    publicUrl: options.publicUrl,
  });
  plane.on("store.lost", ({ reason }) =>
    printWarning(`The store cannot be reached: ${reason}. What needs it fails until it is back.`),
  );
  plane.on("store.back", () => printStatus("The store is back."));
  plane.on("telemetry.lost", ({ reason }) => printWarning(`The OTLP collector takes nothing: ${reason}.`));
  plane.on("telemetry.back", () => printStatus("The OTLP collector is back."));
  // Lines about servers come behind the address.
  const showsServers = options.logLevel !== "error" && options.logLevel !== "warn";
  const changes = showsServers ? printServerChanges(plane, { isHeldBack: true }) : null;
  // Servers take longest: they start while the rest is loaded.
  plane.start();
  // Problems of the store are said before the address is.
  await plane.readiness();
  await plane.identity.requireSignIn();
  const { host, port, allowHost: allowHosts = [], dataDir: dataDirectory, config: files = [] } = options;
  const serving = await cli.serve(plane, {
    host,
    port,
    allowHosts,
    files,
    dataDirectory,
    directory: terminal.directory(),
    warn: printWarning,
    tls,
    trustProxy: options.trustProxy ?? [],
  });
  announce(plane, serving, options);
  // Without what is behind the #: every user of this machine can see what programs are started with.
  if (options.open) openBrowser(`${serving.url}/workbench/`);
  if (isExposed(options)) await warnAboutMissingKey(plane, allowHosts[0] ?? host);
  if (!serving.hasSocket)
    printStatus(
      "Another plane serves this configuration, or no socket can be made in the data directory, so commands and clients will not find this one. Use --data-dir to keep planes apart.",
    );
  changes?.release();
  let before = plane.config();
  plane.on("config.changed", ({ added, removed, changed }) => {
    const now = plane.config();
    printStatus(`Configuration applied: ${renderChange({ added, removed, changed }, before, now)}`);
    before = now;
    warnAboutConfigProblems(plane.config().problems, options, true);
  });
  plane.on("config.rejected", ({ reason }) => printWarning(`The changed configuration was not applied: ${reason}`));
  using _reload = reloadOnHangup(plane);
  if (!interruption.signal.aborted) await once(interruption.signal, "abort");
  const drainMs = drainTime(interruption.signal, options);
  printStatus(drainMs > 0 ? `Stopping in ${options.drainSeconds} s …` : "Stopping …");
  await serving.close({ drainMs });
  return 0;
}

function tlsOf({ tlsCert: cert, tlsKey: key }: ServeOptions): { cert: string; key: string } | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new PlaneError("USAGE", "TLS needs both: the certificate (--tls-cert) and its key (--tls-key).");
}

/** A proxy in front of a plane on this machine may let any client through. */
function isExposed({ host, allowHost = [] }: ServeOptions): boolean {
  return !isLoopback(host) || allowHost.length > 0;
}

/** A person who stops it at the keyboard does not want to wait. */
function drainTime({ reason }: AbortSignal, { drainSeconds }: ServeOptions): number {
  return reason instanceof Interrupted && reason.isTermination ? drainSeconds * 1_000 : 0;
}

function announce(plane: Plane, { url, workbench: link }: Serving, { json, printPass }: ServeOptions): void {
  const servers = Object.keys(plane.config().servers).length;
  // What is behind the # lets its reader change everything: a log or a pipe keeps it for others.
  const isShown = printPass || terminal.stdout.isTTY;
  const workbench = isShown ? link : (link?.split("#", 1)[0] ?? null);
  if (json) return print(JSON.stringify({ url, servers, workbench }));
  print(`${colors.bold("Toolplane")} serves ${countOf(servers, "server")} at ${colors.cyan(url)}`);
  if (workbench !== null) print(`  open    ${workbench}`);
  if (workbench !== link) print("          to look; --print-pass prints the link that also changes things");
  print(`  tools   ${url}/tools`);
  print(`  mcp     ${url}/mcp`);
  print(`  health  ${url}/healthz`);
  print(`  stop    Ctrl-C`);
}

/** A plane that is open to others and has no key refuses every request. */
async function warnAboutMissingKey(plane: Plane, host: string): Promise<void> {
  const { jwt, issuer, server } = plane.config().auth;
  if ([jwt, issuer, server].some((way) => way !== undefined)) return;
  if ((await plane.keys.list()).every((key) => keyState(key) !== "live"))
    printWarning(
      `${host} can be reached from elsewhere, so every request needs a key, and there is none. Make one: toolplane keys create NAME`,
    );
}

/** Servers by name, what manifests define by number. */
export function renderChange(servers: Record<string, string[]>, before: Config, now: Config): string {
  const named = Object.entries(servers).flatMap(([what, names]) =>
    names.length > 0 ? [`${what} ${names.join(", ")}`] : [],
  );
  const counted = (["tools", "skills", "tasks", "jobs"] as const).flatMap((kind) => {
    const count = countDifferent(entriesOf(before, kind), entriesOf(now, kind));
    return count === 0 ? [] : [`${countOf(count, kind.slice(0, -1))} changed`];
  });
  return [...named, ...counted].join("; ") || "no server and no tool changed";
}

function entriesOf({ tools, fromManifests }: Config, kind: keyof Manifests): ReadonlyMap<string, string> {
  const own = kind === "tools" ? Object.values(tools) : [];
  const all = [...own, ...fromManifests[kind]].map((entry) => [
    JSON.stringify([entry.name, entry.persona]),
    JSON.stringify(entry),
  ]);
  return new Map(all as [string, string][]);
}

function countDifferent(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): number {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => before.get(name) !== now.get(name)).length;
}
