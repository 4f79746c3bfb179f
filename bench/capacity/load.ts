import { Agent, request } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { World } from "./world.ts";

export type Load = {
  /** Opens so many sessions, some at a time. */
  open(sessions: number): Promise<void>;
  /** Calls a second at random times, whether or not those before are answered. */
  steadily(perSecond: number, seconds: number): Promise<Answers>;
  /** Requests at random times that the plane answers by itself. */
  ping(perSecond: number, seconds: number): Promise<Answers>;
  /** So many agents, each of which calls again when it has its answer; without a tool they ping. */
  inTurn(agents: number, seconds: number, toolMs: number | null): Promise<Answers>;
  /** Bytes between clients and planes so far. */
  bytes(): number;
  close(): void;
};

export type Answers = { calls: number; failed: number; seconds: number; latenciesMs: number[] };

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const initialize = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};
const echo = { name: "echo__echo", arguments: { message: "hi" } };
const openedAtOnce = 8;

type Session = { url: string; id: string };

/** Clients that speak MCP in sessions, as agents do, to each plane in turn. */
export function createLoad({ urls, key }: World): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const sockets = new Set<Socket>();
  let closedBytes = 0;
  const sessions: Session[] = [];
  let turn = 0;
  let ids = 0;

  function follow(socket: Socket): void {
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      closedBytes += socket.bytesRead + socket.bytesWritten;
    });
  }

  function post(
    url: string,
    session: string | null,
    message: object,
  ): Promise<{ ok: boolean; session: string }> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const known = session === null ? {} : { "mcp-session-id": session };
    return new Promise((resolve, reject) => {
      const sent = request(`${url}/mcp`, {
        agent,
        method: "POST",
        headers: {
          ...headers,
          "x-api-key": key,
          "content-length": Buffer.byteLength(body),
          ...known,
        },
      });
      sent.once("socket", follow);
      sent.once("error", reject);
      sent.once("response", (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        answer.once("error", reject);
        answer.once("end", () => {
          const isAnswered =
            answer.statusCode === 202 || (answer.statusCode === 200 && text.includes('"result"'));
          const isFailure = text.includes('"isError":true');
          resolve({
            ok: isAnswered && !isFailure,
            session: String(answer.headers["mcp-session-id"] ?? session),
          });
        });
      });
      sent.end(body);
    });
  }

  async function openOne(): Promise<void> {
    turn += 1;
    const url = urls[turn % urls.length] as string;
    const begun = await post(url, null, { id: 0, method: "initialize", params: initialize });
    if (!begun.ok) throw new Error("a session was refused");
    await post(url, begun.session, { method: "notifications/initialized" });
    sessions.push({ url, id: begun.session });
  }

  const call = (toolMs: number, answers: Answers) =>
    ask(
      "tools/call",
      toolMs === 0 ? echo : { name: "echo__slow", arguments: { ms: toolMs } },
      answers,
    );

  const ping = (answers: Answers) => ask("ping", {}, answers);

  async function ask(method: string, params: object, answers: Answers): Promise<void> {
    const session = sessions[ids % sessions.length] as Session;
    ids += 1;
    const begun = performance.now();
    const { ok } = await post(session.url, session.id, { id: ids, method, params });
    answers.latenciesMs.push(performance.now() - begun);
    answers.calls += 1;
    if (!ok) answers.failed += 1;
  }

  const noAnswers = (): Answers => ({ calls: 0, failed: 0, seconds: 0, latenciesMs: [] });

  async function atRandom(
    perSecond: number,
    seconds: number,
    one: (answers: Answers) => Promise<void>,
  ) {
    const answers = noAnswers();
    const all: Promise<void>[] = [];
    const begun = performance.now();
    for (
      let at = 0;
      at < seconds * 1_000;
      at += (-Math.log(1 - Math.random()) * 1_000) / perSecond
    ) {
      const earlyMs = begun + at - performance.now();
      if (earlyMs > 1) await pause(earlyMs);
      all.push(one(answers));
    }
    await Promise.all(all);
    answers.seconds = Math.max(seconds, (performance.now() - begun) / 1_000);
    return answers;
  }

  return {
    async open(count) {
      let left = count;
      await Promise.all(
        Array.from({ length: openedAtOnce }, async () => {
          while (left > 0) {
            left -= 1;
            await openOne();
          }
        }),
      );
    },
    steadily: (perSecond, seconds) => atRandom(perSecond, seconds, (answers) => call(0, answers)),
    ping: (perSecond, seconds) => atRandom(perSecond, seconds, ping),
    async inTurn(agents, seconds, toolMs) {
      const answers = noAnswers();
      const begun = performance.now();
      await Promise.all(
        Array.from({ length: agents }, async () => {
          while (performance.now() - begun < seconds * 1_000)
            await (toolMs === null ? ping(answers) : call(toolMs, answers));
        }),
      );
      answers.seconds = (performance.now() - begun) / 1_000;
      return answers;
    },
    bytes: () =>
      [...sockets].reduce(
        (sum, socket) => sum + socket.bytesRead + socket.bytesWritten,
        closedBytes,
      ),
    close: () => agent.destroy(),
  };
}
