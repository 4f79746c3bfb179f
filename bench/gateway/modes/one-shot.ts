import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Context, inTurn, inWorkspace, loadName } from "../measure.ts";
import { echoServers, firstTool, serverName } from "../peers/echo.ts";
import { environmentIn } from "../peers/peer.ts";
import { type Row, ratioAtMost, toRow } from "../rows.ts";

const script = join(import.meta.dirname, "..", "floors", "one-shot.mjs");
const base = "raw script";

/** `toolplane call` and `toolplane tools list`, from the start of the process to its end. */
export async function measureOneShot(context: Context): Promise<Row[]> {
  const { era, programs, rounds } = context;
  const server = serverName(0);
  const tool = firstTool(server);
  const builds = programs.map(({ name, bin }) => ({
    kind: { name, isOurs: true },
    call: (config: string) => [bin, "call", "--config", config, `${server}.${tool}`, "size:=100"],
    list: (config: string) => [bin, "tools", "list", "--config", config, "--json"],
  }));
  const floor = {
    kind: { name: base },
    call: (config: string) => [script, config, "call", tool],
    list: (config: string) => [script, config, "list"],
  };
  const measured = [floor, ...builds].map((one) => ({
    ...one,
    calls: [] as number[],
    lists: [] as number[],
  }));
  await inWorkspace(async (directory) => {
    // The first round is not counted: it fills the caches that a user's second call finds.
    for (let round = -1; round < rounds; round++) {
      for (const { kind, call, list, calls, lists } of inTurn(measured, round + 1)) {
        const home = join(directory, kind.name.replaceAll(/\W+/g, "-"));
        mkdirSync(home, { recursive: true });
        const config = join(home, "servers.json");
        const [echo] = echoServers(1, { directory: home, era, tools: 20 });
        writeFileSync(
          config,
          JSON.stringify({
            mcpServers: { [server]: { command: echo?.command, args: echo?.args } },
          }),
        );
        const callMs = await timeCommand(call(config), home, "src/module/file.ts");
        const listMs = await timeCommand(list(config), home, tool);
        if (round < 0) continue;
        calls.push(callMs);
        lists.push(listMs);
      }
    }
  });
  const common = { load: loadName("one command", context), unit: "ms", against: base };
  return [
    toRow(
      { ...common, figure: "call", bar: ratioAtMost(2.8) },
      measured.map(({ kind, calls }) => ({ kind, values: calls })),
    ),
    toRow(
      { ...common, figure: "tools list" },
      measured.map(({ kind, lists }) => ({ kind, values: lists })),
    ),
  ];
}

async function timeCommand(
  args: readonly string[],
  home: string,
  expected: string,
): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: environmentIn(home),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [said, complained] = [text(child.stdout), text(child.stderr)];
  await once(child, "exit");
  const ms = performance.now() - startedAt;
  if (!(await said).includes(expected))
    throw new Error(`${args.join(" ")} said ${await said} ${await complained}`);
  return ms;
}
