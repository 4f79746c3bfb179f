import { createSettings, processEnvironment } from "./config/config.ts";
import type { PlaneOptions } from "./model/plane-options.ts";
import type { OpenedState } from "./model/store.ts";
import { createStateVerbs, openStore, requireStoreAddress } from "./store/store.ts";

/** The store of a configuration without a plane around it, so that nothing is added to it by looking. */
export async function openState(
  options: Pick<PlaneOptions, "config" | "projectFiles" | "dataDirectory" | "store">,
): Promise<OpenedState> {
  const { dataDirectory, projectFiles = [] } = options;
  const { config } = await createSettings(options.config, processEnvironment(), { files: projectFiles, dataDirectory });
  const address = requireStoreAddress(options.store ?? config().store);
  const { store } = await openStore(address, dataDirectory);
  return { ...createStateVerbs(async () => store), [Symbol.asyncDispose]: () => store.close() };
}
