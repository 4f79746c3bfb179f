import { createSocket } from "node:dgram";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import type { StagedPage } from "../fixtures/servers/staged-pages.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { processFixture } from "../scenarios/support.ts";
import { openWorld, type Page, type World } from "./browser.ts";

/** What a page of ours begins with: the smallest client of a host, and a report at the end. */
const prelude = `
const report = [];
const say = (what) => report.push(String(what));
const waiting = new Map();
let last = 0;
const heard = [];
addEventListener("message", ({ data }) => {
  if (data?.method) heard.push(data);
  else waiting.get(data?.id)?.(data);
});
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const ask = (method, params = {}) => new Promise((resolve) => {
  last += 1;
  waiting.set(last, resolve);
  post({ id: last, method, params });
});
const tell = (method, params = {}) => post({ method, params });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const attempt = async (what, work) => {
  try { say(what + ": " + (await work())); } catch (thrown) { say(what + " threw " + (thrown?.name ?? thrown)); }
};
const begin = async () => {
  const page = { appInfo: { name: "staged", version: "1.0.0" }, appCapabilities: {}, protocolVersion: "2026-01-26" };
  const { result } = await ask("ui/initialize", page);
  tell("ui/notifications/initialized");
  return result;
};
const done = async () => {
  await pause(250);
  tell("notifications/message", { level: "info", data: { report } });
};
`;

/** A page that does something once its host knows it. */
export function staged(work: string, body = ""): string {
  return `<!doctype html><html><body>${body}<script>${prelude}
begin().then(async (host) => { ${work} }).catch((thrown) => say("failed " + thrown)).finally(done);
</script></body></html>`;
}

export type Stranger = AsyncDisposable & {
  /** Where a page would like to send something. */
  url: string;
  stunPort: number;
  /** All that arrived: connections, requests, packets. */
  arrived: string[];
};

/** A stranger outside, who hears every connection. */
export async function startStranger(): Promise<Stranger> {
  const arrived: string[] = [];
  const server = createServer((socket) => {
    arrived.push("a connection");
    socket.on("data", (data) => {
      arrived.push(String(data).split("\r\n", 1)[0] ?? "");
      socket.end("HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\n\r\n");
    });
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const packets = createSocket("udp4", () => arrived.push("a packet"));
  await new Promise<void>((resolve) => packets.bind(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stunPort: packets.address().port,
    arrived,
    async [Symbol.asyncDispose]() {
      packets.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Call = {
  id: string;
  tool: string;
  server: string | null;
  status: string;
  page?: string;
  payload?: { arguments: Record<string, unknown> };
};

export type AppWorld = AsyncDisposable & {
  world: World;
  /** Goes to a tool and calls it. Resolves with the id of the call. */
  run(page: Page, name: string): Promise<string>;
  /** What the page of a call did so far, newest first. */
  didOf(callId: string): Promise<Call[]>;
  /** What the page says at its end. */
  reportOf(callId: string): Promise<string[]>;
  calls(query?: string): Promise<Call[]>;
};

/** A plane with pages of ours, and another server beside them that has nothing to do with them. */
export async function openAppWorld(
  pages: (plane: string) => Record<string, StagedPage>,
  more: object = {},
): Promise<AppWorld> {
  const directory = await temporaryDirectory();
  const file = directory.file("pages.json");
  // The names are known before the address is; pages are read when they are shown.
  await writeFile(file, JSON.stringify(pages("http://127.0.0.1:1")));
  const rules = [{ tool: "staged.change", verdict: "ask", reason: "it changes something" }];
  const world = await openWorld(
    {
      staged: processFixture("staged-pages", ["--pages", file]),
      other: processFixture("pages", ["--of", "other"]),
    },
    { policy: { rules }, observability: { keepPayloads: true }, ...more },
  );
  await writeFile(file, JSON.stringify(pages(world.url)));
  const read = async (path: string) =>
    (await fetch(world.url + path, { headers: world.proof })).json();
  const calls = async (query = "") =>
    ((await read(`/calls?payloads=true&limit=200&${query}`)) as { calls: Call[] }).calls;
  const didOf = (callId: string) => calls(`conversation=app-${callId}`);
  return {
    world,
    calls,
    didOf,
    async run(page, name) {
      await page.goto(`${world.url}/workbench/try?tool=staged.${name}`);
      const known = new Set((await calls(`tool=staged.${name}`)).map(({ id }) => id));
      await page.getByRole("button", { name: "Run", exact: true }).click();
      let id: string | undefined;
      await until(`a call of ${name}`, async () => {
        id = (await calls(`tool=staged.${name}`)).find((call) => !known.has(call.id))?.id;
        return id !== undefined;
      });
      return String(id);
    },
    async reportOf(callId) {
      let report: string[] | undefined;
      await until(`the report of the page of ${callId}`, async () => {
        const told = (await didOf(callId)).find(
          ({ tool }) => tool === "staged.pages/notifications/message",
        );
        report = (told?.payload?.arguments.data as { report: string[] } | undefined)?.report;
        return report !== undefined;
      });
      return report ?? [];
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
