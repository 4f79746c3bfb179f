import type { ImportReport, Setup, SetupAdding } from "../model/config/setup.ts";
import type { FoundServers } from "./read-source.ts";
import type { SetupPlace, TryServer } from "./setup-place.ts";

/** Servers from elsewhere: other clients, registries, bundles, pasted text. Each part is loaded when it is used. */
export type ImportPackage = {
  createAdding(ports: AddingPorts): Promise<SetupAdding>;
  clientStatus(where: SetupPlace["where"]): ReturnType<Setup["clients"]>;
  /** Of the user's own files of clients; those of a project are a stranger's. */
  findServers(where: Pick<SetupPlace["where"], "directory" | "environment">): Promise<FoundServers>;
  /** `ofUser` names those that stood in files of the user, and not of the project. */
  importClients(
    place: SetupPlace,
    ...asked: Parameters<Setup["importClients"]>
  ): Promise<ImportReport & { ofUser: string[] }>;
  connectClient(
    place: SetupPlace,
    ...asked: Parameters<Setup["connectClient"]>
  ): ReturnType<Setup["connectClient"]>;
  disconnectClient(
    place: SetupPlace,
    ...asked: Parameters<Setup["disconnectClient"]>
  ): ReturnType<Setup["disconnectClient"]>;
};

export type AddingPorts = {
  place: SetupPlace;
  tryServer: TryServer;
  trustWritten(file: string, names: readonly string[]): Promise<void>;
};

export type LoadImport = () => Promise<ImportPackage>;
