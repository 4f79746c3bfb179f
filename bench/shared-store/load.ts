import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

export type Plane = { port: number; key: string };

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Lighter than fetch: the client shares the machine with what is measured. */
export function ask({ port, key }: Plane, path: string, body?: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      "x-api-key": key,
    };
    const method = body === undefined ? "GET" : "POST";
    const sent = request(
      { host: "127.0.0.1", port, path, method, headers, agent },
      async (response) => {
        await text(response);
        resolve(response.statusCode ?? 0);
      },
    );
    sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** What a workbench keeps open. */
export const lists = {
  "GET /calls": "/calls?limit=50",
  "GET /calls/series": "/calls/series",
  "GET /calls/running": "/calls/running",
} as const;
export const ownList = "GET /calls of the one who calls";

export type Loaded = { perSecond: number; failed: number; listMs: Record<string, number[]> };

type Load = { perSecond: number; seconds: number; listsPerSecond: number; readerKey: string };

/** So many calls a second, one plane after the other. Beside them someone else lists calls, and now and then the one who calls. */
export async function callAndList(planes: readonly Plane[], load: Load): Promise<Loaded> {
  const { perSecond, seconds, listsPerSecond, readerKey } = load;
  const begun = performance.now();
  const isOver = () => performance.now() - begun >= seconds * 1_000;
  const calls: Promise<number>[] = [];
  const listMs: Record<string, number[]> = {};
  const list = async (name: string, path: string, key?: string) => {
    const times: number[] = [];
    listMs[name] = times;
    for (let at = 0; !isOver(); at += 1) {
      const plane = planes[at % planes.length] as Plane;
      const from = performance.now();
      await ask(key === undefined ? plane : { ...plane, key }, path);
      times.push(performance.now() - from);
      await pause(1_000 / listsPerSecond);
    }
  };
  const call = async () => {
    for (let at = 0; !isOver(); at += 1) {
      const earlyMs = begun + (at * 1_000) / perSecond - performance.now();
      if (earlyMs > 1) await pause(earlyMs);
      const plane = planes[at % planes.length] as Plane;
      calls.push(ask(plane, "/tools/echo.echo/call", { arguments: { message: "hi" } }));
    }
  };
  const reading = Object.entries(lists).map(([name, path]) => list(name, path, readerKey));
  await Promise.all([...reading, list(ownList, lists["GET /calls"]), call()]);
  const statuses = await Promise.all(calls);
  const tookMs = performance.now() - begun;
  const failed = statuses.filter((status) => status !== 200).length;
  return { perSecond: ((statuses.length - failed) * 1_000) / tookMs, failed, listMs };
}
