import { watchFiles } from "../config/watch-files.ts";
import { toPlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { ServersChange } from "../model/server.ts";
import type { Servers } from "../servers/servers-contract.ts";
import type { createSettings } from "./settings.ts";

type Parts = {
  settings: Awaited<ReturnType<typeof createSettings>>;
  servers: Pick<Servers, "apply">;
  emit(event: PlaneEvent): void;
  /** Whatever else follows the configuration. */
  apply(change: ServersChange): Promise<void>;
  watch: boolean;
};

/** Reads the configuration again and applies what is different, when asked and, with `watch`, when its files change. */
export function createReload({ settings, servers, emit, apply, watch }: Parts) {
  const reload = async (): Promise<ServersChange> => {
    const next = await settings.readAgain();
    const change = await servers.apply({ definitions: next.config.servers, broken: next.config.broken });
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
