import { pause } from "../../lib/async/pause.ts";
import { shorten } from "../../lib/text/cut-text.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import type { AsClient } from "../../model/calls/provider.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { Era } from "../../protocol/session.ts";
import type { ServerConnection } from "../connection.ts";
import type { ServerSessions } from "../sessions.ts";

/** What a server asks of a client in another way in each era. */
const questionKinds = ["sampling", "elicitation", "roots"] as const;

/** The era of a client that can be asked: only in its own does a server ask as it does directly. */
export function neededEra(client: AsClient | undefined): Era | null {
  if (client?.era === undefined) return null;
  const { capabilities } = client;
  return questionKinds.some((kind) => capabilities[kind] !== undefined) ? client.era : null;
}

/** How long calls of others are waited for before the session is opened again in another era. */
const freeWithinMs = 5_000;

type SharedEraOptions = {
  main: Pick<ServerConnection, "live" | "ensure" | "close" | "isUsed" | "whenFree">;
  /** Does it speak both, as far as is known? */
  speaksBoth(): boolean;
  isDetected(): boolean;
};

export type SharedEra = ReturnType<typeof createSharedEra>;

/** The era of a process that all clients share: the first client that needs one settles it. */
export function createSharedEra({ main, speaksBoth, isDetected }: SharedEraOptions) {
  let settled: { era: Era; reason: string } | null = null;
  let settling: Promise<void> | undefined;

  async function settle(era: Era, client: AsClient): Promise<void> {
    if (!isDetected()) await main.ensure();
    if (!speaksBoth()) return;
    const live = main.live();
    const isFree = live === null || live.session.era === era || (await freeInTime());
    if (!isFree) return;
    settled = { era, reason: reasonOf(client) };
    const open = main.live();
    if (open !== null && open.session.era !== era) await main.close("a client needs another era");
  }

  async function freeInTime(): Promise<boolean> {
    const waiting = new AbortController();
    let isLate = false;
    const limit = pause(freeWithinMs, { signal: waiting.signal, isBackground: true }).then(() => {
      isLate = true;
    });
    // A request that comes meanwhile uses it again.
    while (main.isUsed() && !isLate) await Promise.race([main.whenFree(), limit]);
    waiting.abort();
    return !main.isUsed();
  }

  return {
    settled: () => settled,
    /** Undefined where nothing has to be waited for. */
    settleFor(client: AsClient | undefined): Promise<void> | undefined {
      const era = neededEra(client);
      if (era === null || client === undefined) return undefined;
      if (settling !== undefined) return settling;
      if (settled !== null || (isDetected() && !speaksBoth())) return undefined;
      settling = settle(era, client).finally(() => {
        settling = undefined;
      });
      return settling;
    },
    /** The session has ended because nothing needed it. */
    forget(): void {
      settled = null;
    },
  };
}

function reasonOf({ info, capabilities }: AsClient): string {
  const name = typeof info?.name === "string" ? shorten(plainText(info.name)) : "a client";
  const kinds = questionKinds.filter((kind) => capabilities[kind] !== undefined);
  return `${name} was the first client that declares ${kinds.join(", ")}`;
}

type ExplainedParts = {
  options: { definition: Pick<ServerDefinition, "protocol"> };
  opener: { verdict(): { era: Era } | null; refusesLegacy(): boolean };
  sharedEra: Pick<SharedEra, "settled">;
  sessions: Pick<ServerSessions, "all">;
};

/** Why its main session is of this era, and what others speak beside it. */
export function explainEra(era: Era, parts: ExplainedParts): string {
  const { options, opener, sharedEra } = parts;
  if (options.definition.protocol !== "auto") return "set by 'protocol' in its entry";
  const settled = sharedEra.settled();
  if (settled?.era === era) return settled.reason;
  if (era === "legacy") return "the newest that it speaks";
  if (opener.refusesLegacy()) return "the newest that it speaks; it does not speak an older one";
  const older = parts.sessions
    .all()
    .filter(({ owner, connection }) => owner.era === "legacy" && connection.live() !== null);
  if (older.length === 0) return "the newest that it speaks";
  const count = older.length === 1 ? "one session speaks" : `${older.length} sessions speak`;
  const [version] = older.map(({ connection }) => connection.live()?.session.protocolVersion);
  return `the newest that it speaks; ${count} ${version}, for clients of that era that declare ${questionKinds.join(", ")}`;
}
