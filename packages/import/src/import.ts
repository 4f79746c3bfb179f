import type { ImportPackage } from "../../../src/config/config.ts";

export const createAdding: ImportPackage["createAdding"] = async (ports) => {
  const adding = await import("./adding/adding.ts");
  return adding.createAdding(ports);
};

export const clientStatus: ImportPackage["clientStatus"] = async (where) => {
  const status = await import("./clients/client-status.ts");
  return status.clientStatus(where);
};

export const importClients: ImportPackage["importClients"] = async (...asked) => {
  const verbs = await import("./clients/client-verbs.ts");
  return verbs.importClients(...asked);
};

export const connectClient: ImportPackage["connectClient"] = async (...asked) => {
  const verbs = await import("./clients/client-verbs.ts");
  return verbs.connect(...asked);
};

export const disconnectClient: ImportPackage["disconnectClient"] = async ({ where }, client, how) => {
  const disconnecting = await import("./clients/disconnect-client.ts");
  return disconnecting.disconnectClient(client, where, how);
};
