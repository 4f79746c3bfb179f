import { once } from "node:events";
import { renderProblem } from "../../model/config.ts";
import { isLoopback } from "../../model/loopback.ts";
import type { Plane } from "../../model/plane.ts";
import type { Cli, GlobalOptions, Serving } from "./cli.ts";
import { colors } from "./colors.ts";
import { keyState } from "./key-state.ts";
import { print, printWarning, say } from "./output.ts";
import { giveMemoryBackWhenQuiet } from "./quiet.ts";
import { untilInterrupted } from "./signals.ts";
import { openPlane } from "./with-plane.ts";

type ServeOptions = GlobalOptions & { host: string; port: number };

export async function serve(cli: Cli, options: ServeOptions): Promise<number> {
  using interruption = untilInterrupted();
  await using plane = await openPlane(cli, options, {
    fallback: demoConfig,
    watch: true,
    answersQuestions: true,
    relays: true,
    exposed: !isLoopback(options.host),
  });
  const { host, port, dataDir: dataDirectory, config: files = [] } = options;
  const serving = await cli.serve(plane, { host, port, files, dataDirectory, directory: process.cwd() });
  announce(plane, serving, options);
  await sayWhoMayCall(plane, options.host);
  if (!serving.hasSocket)
    say(
      "Another plane serves from this data directory, so commands will ask that one or start their own. Use --data-dir to keep them apart.",
    );
  plane.on("server.connected", ({ server, toolCount }) =>
    tell(colors.green("●"), server, `${toolCount} tools`),
  );
  plane.on("server.error", ({ server, message }) => tell(colors.red("●"), server, message));
  plane.on("server.disconnected", ({ server, reason }) => tell(colors.dim("○"), server, reason));
  plane.on("config.changed", ({ added, removed, changed }) => {
    say(`Configuration applied: ${renderChange({ added, removed, changed })}`);
    for (const problem of plane.config().problems) printWarning(renderProblem(problem));
  });
  plane.on("config.rejected", ({ reason }) =>
    printWarning(`The changed configuration was not applied: ${reason}`),
  );
  using _memory = giveMemoryBackWhenQuiet(plane);
  plane.start();
  if (!interruption.signal.aborted) await once(interruption.signal, "abort");
  say("Stopping …");
  await serving.close();
  return 0;
}

/** What a plane without any configuration serves: the server that comes with the product. */
const demoConfig = {
  mcpServers: {
    demo: {
      command: process.execPath,
      args: [process.argv[1] ?? "", "demo"],
      description: "Comes with Toolplane",
    },
  },
};

function announce(plane: Plane, { url }: Serving, { json }: ServeOptions): void {
  const servers = Object.keys(plane.config().servers).length;
  if (json) return print(JSON.stringify({ url, servers }));
  print(
    `${colors.bold("Toolplane")} serves ${servers} server${servers === 1 ? "" : "s"} at ${colors.cyan(url)}`,
  );
  print(`  tools   ${url}/tools`);
  print(`  mcp     ${url}/mcp`);
  print(`  health  ${url}/healthz`);
  print(`  stop    Ctrl-C`);
}

/** Whoever opens a plane to others and gives nobody a way in would look for the fault elsewhere. */
async function sayWhoMayCall(plane: Plane, host: string): Promise<void> {
  if (isLoopback(host) || plane.config().auth.jwt !== undefined) return;
  if ((await plane.keys()).every((key) => keyState(key) !== "live"))
    printWarning(
      `${host} can be reached from elsewhere, so every request needs a key, and there is none. Make one: toolplane keys create NAME`,
    );
}

function renderChange(change: Record<string, string[]>): string {
  const parts = Object.entries(change).flatMap(([what, names]) =>
    names.length > 0 ? `${what} ${names.join(", ")}` : [],
  );
  return parts.join("; ") || "nothing is different";
}

function tell(mark: string, server: string, text: string): void {
  say(`${mark} ${server}: ${text}`);
}
