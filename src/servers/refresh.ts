import type { RefreshReport } from "../model/server.ts";
import type { Server } from "./server.ts";

/** Really asks servers again, all at once. Without `force` those that back off are left alone. */
export async function refreshServers(
  servers: readonly { name: string; server: Server }[],
  force: boolean,
): Promise<RefreshReport> {
  const report: RefreshReport = { attempted: [], reconnected: [], still_failed: [], skipped: [] };
  const refresh = async (name: string, server: Server) => {
    const { state, nextRetryAt } = server.status();
    const reason = reasonToSkip(server, force ? null : nextRetryAt);
    if (reason !== null) return void report.skipped.push({ server: name, reason });
    report.attempted.push(name);
    try {
      await server.refresh();
      if (state !== "connected") report.reconnected.push(name);
    } catch (thrown) {
      report.still_failed.push({ server: name, reason: (thrown as Error).message });
    }
  };
  await Promise.all(servers.map(({ name, server }) => refresh(name, server)));
  return report;
}

function reasonToSkip({ definition }: Server, nextRetryAt: string | null): string | null {
  if (!definition.enabled) return "it is disabled in the configuration";
  const waitMs = nextRetryAt === null ? 0 : Date.parse(nextRetryAt) - Date.now();
  return waitMs > 0 ? `next try in ${Math.ceil(waitMs / 1_000)} s` : null;
}
