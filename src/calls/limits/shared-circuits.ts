import { serialized } from "../../lib/async/once.ts";
import { hash } from "../../lib/json/stable-json.ts";
import type { Config } from "../../model/config/config.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Store, StoreNews } from "../../model/store.ts";
import type { OpenCircuit } from "./circuit-breaker.ts";

const prefix = "circuit:";

type Ports = {
  servers(): Config["servers"];
  store(): Promise<Pick<Store, "changeShared" | "sharedMoment">>;
  onNews(listener: (news: StoreNews) => void): () => void;
  learn(server: string, remote: OpenCircuit | null): void;
};

/**
 * A server that one plane found failing is one that the others need not find out about. Only where all planes ask the same
 * one: of a server that is a process, each plane has its own. Nothing here is waited for by a call.
 */
export function createSharedCircuits({ servers, store, onNews, learn }: Ports) {
  /** Null for a server that the planes do not share. */
  function keyOf(server: string): string | null {
    const { url, openapi } = servers()[server] ?? {};
    if (url === undefined && openapi === undefined) return null;
    return `${prefix}${hash([server, url, openapi])}`;
  }

  async function read(key: string): Promise<void> {
    const { value, now } = await (await store()).sharedMoment(key);
    const remote = openIn(value);
    // What is stored is of the store's clock, as the clocks of planes differ.
    const shiftMs = Date.now() - now;
    if (remote !== null)
      Object.assign(remote, { since: remote.since + shiftMs, until: remote.until + shiftMs });
    for (const server of Object.keys(servers())) if (keyOf(server) === key) learn(server, remote);
  }

  /** In their order: what was opened and closed at once must not stay open elsewhere. */
  const write = serialized(async (key: string, open: OpenCircuit | null) => {
    const { changeShared } = await store();
    const keptMs = open === null ? 0 : Math.max(0, open.until - Date.now());

    function step(_: JsonObject | null, now: number) {
      const shiftMs = now - Date.now();
      const value = open && { ...open, since: open.since + shiftMs, until: open.until + shiftMs };
      return { value, answer: null };
    }

    await changeShared(key, keptMs, step, { tells: true });
  });

  onNews((news) => {
    if (news.what !== "shared" || !news.key.startsWith(prefix)) return;
    // A plane that cannot read it counts failures of its own.
    void read(news.key).catch(() => undefined);
  });

  return {
    tell(server: string, open: OpenCircuit | null): void {
      const key = keyOf(server);
      if (key === null) return;
      void write(key, open).catch(() => undefined);
    },
  };
}

function openIn(value: unknown): OpenCircuit | null {
  if (!isObject(value)) return null;
  const { failures, opened, since, until, lastError } = value;
  const numbers = [failures, opened, since, until];
  if (!numbers.every(Number.isFinite) || typeof lastError !== "string") return null;
  return { failures, opened, since, until, lastError } as OpenCircuit;
}
