import { mkdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { LoadClient } from "../load/client.ts";
import { StdioClient } from "../load/stdio-client.ts";
import { type Context, inTurn, inWorkspace, loadName } from "../measure.ts";
import { echoServers, firstTool } from "../peers/echo.ts";
import { type CommandSpec, type Kind, raw, spliceFloor, toolplane } from "../peers/kinds.ts";
import { Peer, within } from "../peers/peer.ts";
import { endAll, usageOf } from "../peers/processes.ts";
import { type Row, ratioAtMost, toRow, valueAtMost } from "../rows.ts";

const toolCount = 20;
const delayMs = 300;
const timeoutMs = 60_000;

/** Milliseconds since the start, and seconds of CPU until the list was whole and the last server had answered a call. */
type Cold = { listed: number; called: number; cpu: number };

/** Thirty servers that each take 300 ms to start: new to the gateway, and known to it from before. */
export async function measureColdStart(context: Context): Promise<Row[]> {
  const { era, programs, rivals, isQuick, rounds, servers: serverCount } = context;
  const kinds = [
    raw,
    spliceFloor,
    ...programs.map((program) => toolplane(program)),
    ...rivals.filter(({ isBridge }) => !isBridge),
  ];
  const measured = kinds.map((kind) => ({ kind, fresh: [] as Cold[], known: [] as Cold[] }));
  await inWorkspace(async (directory) => {
    for (let round = 0; round < Math.min(rounds, isQuick ? 3 : 5); round++) {
      for (const { kind, fresh, known } of inTurn(measured, round)) {
        const own = join(directory, `${kind.name.replaceAll(/\W+/g, "-")}-${round}`);
        const servers = echoServers(serverCount, {
          directory: own,
          era,
          tools: toolCount,
          delayMs,
        });
        const start = () =>
          kind.launch === undefined ? startDirectly(servers, own) : startCold(kind, servers, own);
        fresh.push(await start());
        known.push(await start());
      }
    }
  });
  const rowsOf = (
    which: "fresh" | "known",
    load: string,
    limits: { listed?: number; cpu: number },
  ) => {
    const series = (field: keyof Cold) =>
      measured.map((one) => ({ kind: one.kind, values: one[which].map((cold) => cold[field]) }));
    const common = { load: loadName(load, context), against: raw.name };
    const bar = limits.listed === undefined ? {} : { bar: ratioAtMost(limits.listed) };
    return [
      toRow({ ...common, figure: "all listed", unit: "ms", ...bar }, series("listed")),
      toRow({ ...common, figure: "first call of the last server", unit: "ms" }, series("called")),
      toRow(
        { load: common.load, figure: "CPU until then", unit: "s", bar: valueAtMost(limits.cpu) },
        series("cpu").filter(({ kind }) => kind.launch !== undefined),
      ),
    ];
  };
  return [
    ...rowsOf("fresh", `${serverCount} new servers`, { listed: 1.4, cpu: 0.9 }),
    ...rowsOf("known", `${serverCount} known servers`, { cpu: 0.5 }),
  ];
}

/** The bound: all of them at once, by raw clients. */
async function startDirectly(servers: readonly CommandSpec[], directory: string): Promise<Cold> {
  mkdirSync(directory, { recursive: true });
  const startedAt = performance.now();
  const open = async ({ command, args }: CommandSpec) => {
    const client = new StdioClient({ command, args, cwd: directory }, "legacy");
    await client.open();
    await client.listTools();
    return client;
  };
  const last = (await Promise.all(servers.map(open))).at(-1);
  const listed = performance.now() - startedAt;
  await last?.call(firstTool(servers.at(-1)?.name ?? ""), { size: 100 }, 100);
  const called = performance.now() - startedAt;
  await endAll(directory);
  return { listed, called, cpu: Number.NaN };
}

async function startCold(
  kind: Kind,
  servers: readonly CommandSpec[],
  directory: string,
): Promise<Cold> {
  const peer = new Peer(kind, { servers, directory });
  await peer.launch();
  const deadline = peer.launchedAt + timeoutMs;
  while (!(await isListening(peer.url)) && performance.now() < deadline) await pause(8);
  const last = firstTool(servers.at(-1)?.name ?? "");
  let listed = Number.NaN;
  let called = Number.NaN;
  let client: LoadClient | undefined;
  let openedAt = 0;
  while (Number.isNaN(listed) || Number.isNaN(called)) {
    if (peer.hasEnded() || performance.now() > deadline)
      throw new Error(`${kind.name} did not list all: ${peer.log().slice(-500)}`);
    try {
      // A gateway may fix the list when a session begins: ask in a new one from time to time.
      if (client === undefined || performance.now() - openedAt > 400) {
        await client?.close();
        client = peer.newClient();
        await within(client.open(), deadline);
        openedAt = performance.now();
      }
      const tools = await within(client.listTools(), deadline);
      if (tools.length >= servers.length * toolCount)
        listed ||= performance.now() - peer.launchedAt;
      const tool = tools.find(({ name }) => name.endsWith(last));
      if (tool !== undefined && Number.isNaN(called)) {
        await within(client.call(tool.name, { size: 100 }, 100), deadline);
        called = performance.now() - peer.launchedAt;
      }
    } catch {
      await client?.close().catch(() => {});
      client = undefined;
    }
    await pause(15);
  }
  const cpu = usageOf(peer.own()).cpuSeconds;
  await client?.close();
  await peer.stop();
  return { listed, called, cpu };
}

function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
