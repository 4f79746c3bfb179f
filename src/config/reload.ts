import { statSync } from "node:fs";
import { readRegularFile } from "../lib/regular-file.ts";
import type { Config } from "../model/config/config.ts";
import { toPlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { PlaneOptions } from "../model/plane-options.ts";
import type { ServersChange } from "../model/servers/server.ts";
import type { createSettings } from "./settings.ts";

type Settings = Awaited<ReturnType<typeof createSettings>>;

const intervalMs = 400;

/** Polls: a watch is lost when a directory is replaced, a link is moved or an editor renames. */
export function watchFiles(list: () => readonly string[], onChange: () => void): Disposable {
  let appliedSignature = signature(list());
  let appliedHash = hashFiles(list());
  let lastSignature = appliedSignature;
  const timer = setInterval(() => {
    const files = list();
    const currentSignature = signature(files);
    const isSettled = currentSignature === lastSignature;
    lastSignature = currentSignature;
    if (!isSettled || currentSignature === appliedSignature) return;
    appliedSignature = currentSignature;
    const previousHash = appliedHash;
    appliedHash = hashFiles(files);
    if (appliedHash !== previousHash) onChange();
  }, intervalMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function signature(files: readonly string[]): string {
  return files
    .map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
      if (stats) return `${file} ${stats.ino} ${stats.size} ${stats.mtimeNs}`;
      return `${file} gone`;
    })
    .join("\n");
}

/** What decides whether anything was really edited. A file that cannot be read counts as one that says so. */
function hashFiles(files: readonly string[]): string {
  // Loaded by those who watch only.
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  for (const file of files) hash.update(`${file}\0`).update(contentOf(file));
  return hash.digest("hex");
}

function contentOf(file: string): Buffer | string {
  try {
    return readRegularFile(file, (stats) => (stats.isFile() ? null : "not a file"));
  } catch (thrown) {
    return String((thrown as NodeJS.ErrnoException).code);
  }
}

type ReloadContext = {
  readonly settings: Settings;
  readonly options: Pick<PlaneOptions, "watch">;
  readonly recorder: { emit(event: PlaneEvent): void };
  readonly servers: {
    /** Stops, starts and changes servers, and says which. */
    apply(
      wanted: Pick<Config, "broken" | "untrusted"> & { definitions: Config["servers"] },
    ): Promise<ServersChange>;
  };
  readonly limits: { apply(change: ServersChange): void };
  readonly catalogue: { handWritten: { apply(config: Config): void }; reload(): Promise<unknown> };
  readonly calls: { reconfigured(): Promise<unknown> };
  readonly work: { changed(): void };
  /** Its `reload` leaves a record. */
  readonly plane: { reload(): Promise<unknown> };
};

/** Reads the configuration again and applies what is different, when asked and, with `watch`, when its files change. */
export function createReload(context: ReloadContext) {
  const { settings, recorder, servers, limits, catalogue, calls, work } = context;
  const { emit } = recorder;
  const reload = async (): Promise<ServersChange> => {
    const nextSettings = await settings.readAgain();
    const { servers: definitions, broken, untrusted } = nextSettings.config;
    // What the servers ask of the settings is about those that they get.
    nextSettings.take();
    const change = await servers.apply({ definitions, broken, untrusted });
    limits.apply(change);
    catalogue.handWritten.apply(settings.config());
    await catalogue.reload();
    await calls.reconfigured();
    work.changed();
    emit({ type: "config.changed", ...change, problems: settings.config().problems.length });
    return change;
  };
  const reportRejected = (thrown: unknown) =>
    emit({ type: "config.rejected", reason: toPlaneError(thrown).message });
  const watching = context.options.watch
    ? watchFiles(settings.sources, () => void context.plane.reload().catch(reportRejected))
    : undefined;
  return { reload, stop: () => watching?.[Symbol.dispose]() };
}
