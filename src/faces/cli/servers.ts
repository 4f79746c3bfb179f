import type { ServerState, ServerStatus } from "../../model/servers/server.ts";
import { tellOfBackground } from "./background.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { renderInstalling, renderTrouble, shownState } from "./last-words.ts";
import { print, printJson, renderTable } from "./output.ts";
import { withPlane } from "./with-plane.ts";

export async function listServers(cli: Cli, options: GlobalOptions): Promise<void> {
  await withPlane(cli, options, async (plane) => {
    const servers = await plane.servers.list({ connect: true });
    if (!options.json) print(renderServers(servers));
    const background = await tellOfBackground(cli, plane, options);
    if (options.json) printJson({ servers, ...(background === null ? {} : { plane: background }) });
  });
}

const marks: Record<ServerState, string> = {
  connected: colors.green("●"),
  connecting: colors.yellow("◌"),
  disconnected: colors.dim("○"),
  disabled: colors.dim("○"),
  backoff: colors.yellow("●"),
  error: colors.red("●"),
  config_error: colors.red("●"),
};

export function stateMark(state: ServerState): string {
  return marks[state];
}

function renderServers(servers: readonly ServerStatus[]): string {
  if (servers.length === 0) return "No servers are configured.";
  const table = renderTable(
    ["SERVER", "STATE", "TRANSPORT", "PROTOCOL", "TOOLS", "NOTE"],
    servers.map(({ name, transport, protocolVersion, tools, rejected, ...status }) => [
      name,
      shownState(status),
      transport ?? "-",
      protocolVersion ?? "-",
      String(tools),
      renderInstalling(status) ??
        renderTrouble(status) ??
        (rejected.length > 0 ? `not usable: ${rejected.map(({ tool }) => tool).join(", ")}` : ""),
    ]),
  );
  const [head, ...rows] = table.split("\n");
  return [`  ${head}`, ...rows.map((row, at) => `${marks[servers[at]?.state ?? "error"]} ${row}`)].join("\n");
}
