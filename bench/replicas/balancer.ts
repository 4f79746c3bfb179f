import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Replica } from "./replica.ts";

/** Said with an answer that is the balancer's own: was the replica killed meanwhile, or what else went wrong? */
export const brokenHeader = "x-broken";
/** Who was asked. */
export const replicaHeader = "x-replica";

const lookMs = 200;
/** Many clients connect at once, and on a busy machine they would wait until they give up. */
const backlog = 4_096;

export type Balancer = {
  url: string;
  /** How many replicas say that they take requests. */
  ready(): number;
  /** Truncated answers without a kill. */
  cutOff(): readonly string[];
  close(): Promise<void>;
};

/**
 * Gives each request to the next replica that takes a connection. What was sent is never sent again: a request that was
 * in flight when its replica was killed is lost, and its client gets an error.
 */
export async function startBalancer(replicas: readonly Replica[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const ready = new Set(replicas);
  const cutOff: string[] = [];
  let turn = 0;

  /** As every load balancer: a plane that is not ready gets no requests until it is. */
  async function look(): Promise<void> {
    for (const replica of replicas) {
      const address = `http://127.0.0.1:${replica.port()}/healthz?ready=true`;
      const isReady = await fetch(address).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) ready.add(replica);
      else ready.delete(replica);
    }
  }
  // One look after the other: what was seen earlier must not be believed later.
  let isLooking = false;
  const clock = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, lookMs);

  async function take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    turn += 1;
    // Other requests move the turn while this one is forwarded; no plane may be skipped for that.
    const first = turn;
    for (let at = 0; at < replicas.length; at += 1) {
      const replica = replicas[(first + at) % replicas.length] as Replica;
      if (ready.has(replica) && (await passOn(replica, incoming, body, outgoing))) return;
    }
    outgoing.writeHead(503, { [brokenHeader]: `none of ${ready.size} ready` }).end("{}");
  }

  /** False when nothing was sent, so that another may be asked. */
  function passOn(
    replica: Replica,
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
  ): Promise<boolean> {
    const before = replica.kills();
    const wasKilled = () => replica.isKilled() || replica.kills() !== before;
    const asked = { [replicaHeader]: replica.name };
    const { method, url: path, headers } = incoming;
    return new Promise((resolve) => {
      const sent = request(
        {
          agent,
          host: "127.0.0.1",
          port: replica.port(),
          method,
          path,
          headers: { ...headers, host: "127.0.0.1" },
        },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...asked });
          answer.pipe(outgoing);
          answer.once("error", (error) => {
            if (!wasKilled()) cutOff.push(`${method} ${path} on ${replica.name}: ${error.message}`);
            outgoing.destroy();
          });
          answer.once("close", () => resolve(true));
        },
      );
      sent.once("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED") return resolve(false);
        const why = wasKilled() ? "killed" : `unexplained ${error.code}`;
        if (!outgoing.headersSent)
          outgoing.writeHead(502, { [brokenHeader]: why, ...asked }).end("{}");
        resolve(true);
      });
      sent.end(body);
    });
  }

  const server = createServer((incoming, outgoing) => {
    take(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen({ port: 0, host: "127.0.0.1", backlog });
  // Else it may close a connection while a client sends its next request.
  server.keepAliveTimeout = 0;
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: () => ready.size,
    cutOff: () => cutOff,
    async close() {
      clearInterval(clock);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
