import type { Config } from "../model/config.ts";
import { toPlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { ServersChange } from "../model/server.ts";
import type { createSettings } from "./settings.ts";
import { watchFiles } from "./watch-files.ts";

type Parts = {
  settings: Awaited<ReturnType<typeof createSettings>>;
  /** Stops, starts and changes servers, and says which. */
  applyServers(wanted: Pick<Config, "broken"> & { definitions: Config["servers"] }): Promise<ServersChange>;
  emit(event: PlaneEvent): void;
  /** Whatever else follows the configuration. */
  apply(change: ServersChange): Promise<void>;
  watch: boolean;
};

/** Reads the configuration again and applies what is different, when asked and, with `watch`, when its files change. */
export function createReload({ settings, applyServers, emit, apply, watch }: Parts) {
  const reload = async (): Promise<ServersChange> => {
    const next = await settings.readAgain();
    const change = await applyServers({ definitions: next.config.servers, broken: next.config.broken });
    next.take();
    await apply(change);
    emit({ type: "config.changed", ...change, problems: settings.config().problems.length });
    return change;
  };
  const tellRejected = (thrown: unknown) =>
    emit({ type: "config.rejected", reason: toPlaneError(thrown).message });
  const watching = watch ? watchFiles(settings.sources, () => void reload().catch(tellRejected)) : undefined;
  return { reload, stop: () => watching?.[Symbol.dispose]() };
}
