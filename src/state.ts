import { loadSettings, processEnvironment } from "./config/config.ts";
import type { PlaneAudit } from "./model/audit.ts";
import type { StorePackages } from "./model/packages.ts";
import type { PlaneOptions } from "./model/plane-options.ts";
import { trusted } from "./model/principal.ts";
import type { OpenedState } from "./model/store.ts";
import {
  createAudit,
  createRecorder,
  createStateVerbs,
  openStore,
  requireStoreAddress,
} from "./store/store.ts";

/** The store of a configuration without a plane around it, so that nothing is added to it by looking. */
export async function openState(
  options: Pick<PlaneOptions, "config" | "projectFiles" | "dataDirectory" | "store">,
  packages: StorePackages,
): Promise<OpenedState> {
  const { dataDirectory, projectFiles = [] } = options;
  const { config, vaultKey } = await loadSettings(options.config ?? [], processEnvironment(), {
    files: projectFiles,
    directory: null,
    dataDirectory,
  });
  const address = requireStoreAddress(options.store ?? config().store);
  const settings = { durability: config().durability ?? null, vaultKey };
  const { store } = await openStore({ address, directory: dataDirectory, packages, settings });
  return { ...createStateVerbs(async () => store), [Symbol.asyncDispose]: () => store.close() };
}

/** The record of changes without a plane around it. A configuration that cannot be read says nothing about its store. */
export async function openAudit(
  options: Pick<PlaneOptions, "config" | "projectFiles" | "dataDirectory" | "principal">,
  packages: StorePackages,
): Promise<Pick<PlaneAudit, "run"> & AsyncDisposable> {
  const { dataDirectory, projectFiles: files = [], config: sources = [], principal } = options;
  const project = { files, directory: null, dataDirectory };
  const settings = await loadSettings(sources, processEnvironment(), project).catch(() => null);
  const config = settings?.config();
  const recorder = createRecorder(dataDirectory, {
    address: requireStoreAddress(config?.store ?? "sqlite"),
    isRequired: () => config?.audit.required ?? false,
    packages,
    settings: {
      durability: config?.durability ?? null,
      vaultKey: async () => settings?.vaultKey(),
    },
  });
  const hmacKey = async () => settings?.hmacKey();
  const { audit } = createAudit({
    recorder,
    hmacKey,
    defaultPrincipal: trusted(principal),
    face: "cli",
  });
  return { run: audit.run, [Symbol.asyncDispose]: recorder.close };
}
