import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { Plane } from "../../model/plane.ts";
import { colors } from "./colors.ts";
import { renderTrouble } from "./last-words.ts";
import { say } from "./output.ts";

/** How servers come and go, a line each. A reason that stays the same is not told at every attempt. */
export function tellOfServers(plane: Plane): void {
  const told = new Map<string, string>();
  const tell = (mark: string, server: string, text: string) => {
    if (told.get(server) === text) return;
    told.set(server, text);
    say(`${mark} ${server}: ${plainText(text)}`);
  };
  const explain = async (server: string, error: string): Promise<string> => {
    const { stderrTail } = (await plane.servers.get(server).catch(() => null)) ?? {};
    return renderTrouble({ error, ...(stderrTail === undefined ? {} : { stderrTail }) }) ?? error;
  };
  plane.on("server.installing", ({ server }) => tell(colors.yellow("◌"), server, "installing"));
  plane.on("server.connected", ({ server, toolCount }) => tell(colors.green("●"), server, countOf(toolCount, "tool")));
  plane.on("server.error", ({ server, message }) =>
    explain(server, message).then((text) => tell(colors.red("●"), server, text)),
  );
  plane.on("server.disconnected", ({ server, reason }) =>
    explain(server, reason).then((text) => tell(colors.dim("○"), server, text)),
  );
}
