import type { ImportPackage } from "@toolplane/core/config";
import { homeDirectory } from "@toolplane/core/lib/files";

export const createAdding: ImportPackage["createAdding"] = async (ports) => {
  const adding = await import("./adding/adding.ts");
  return adding.createAdding(ports);
};

export const clientStatus: ImportPackage["clientStatus"] = async (where) => {
  const status = await import("./clients/client-status.ts");
  return status.clientStatus(where);
};

export const findServers: ImportPackage["findServers"] = async ({ directory, environment }) => {
  const finding = await import("./clients/found-servers.ts");
  const home = homeDirectory();
  if (home === null) return { documents: [], problems: [], foundIn: {} };
  return finding.findServers({ platform: process.platform, home, directory, environment });
};

export const importClients: ImportPackage["importClients"] = async (...args) => {
  const verbs = await import("./clients/client-verbs.ts");
  return verbs.importClients(...args);
};

export const connectClient: ImportPackage["connectClient"] = async (...args) => {
  const verbs = await import("./clients/client-verbs.ts");
  return verbs.connect(...args);
};

export const disconnectClient: ImportPackage["disconnectClient"] = async (
  { where },
  client,
  how,
) => {
  const disconnecting = await import("./clients/disconnect-client.ts");
  return disconnecting.disconnectClient(client, where, how);
};
