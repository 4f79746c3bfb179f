import type { JsonObject, UnknownObject } from "../model/json.ts";
import {
  type SessionStore,
  type StoredSession,
  sessionIdleMs,
  sessionTouchMs,
} from "../model/servers/client-sessions.ts";
import type { Store, StoreNews } from "../model/store.ts";

type SessionStorePorts = {
  store(): Promise<Store>;
  onNews(listener: (news: StoreNews) => void): () => void;
  outlivesUs: boolean;
};

/** Longer than the pauses between touches of a session in use. */
const sessionLifetimeMs = sessionIdleMs + 2 * sessionTouchMs;
/** A message is read at once or not at all. */
const mailLifetimeMs = 60_000;
const maxMail = 50;

type Row = { session: StoredSession; usedAt: number };

/** Client sessions in the store, shared by all planes. Their content is defined by the face. */
export function createSessionStore({ store, onNews, outlivesUs }: SessionStorePorts): SessionStore {
  const rowOf = (value: JsonObject | null) => value as Row | null;
  const asValue = (row: Row) => row as unknown as JsonObject;

  return {
    outlivesUs,
    async keep(id, session) {
      const step = (_: JsonObject | null, usedAt: number) => ({
        value: asValue({ session, usedAt }),
        answer: null,
      });
      await store()
        .then((opened) => opened.changeShared(keyOf(id), sessionLifetimeMs, step))
        .catch(() => null);
    },
    async find(id) {
      return rowOf(await (await store()).sharedValue(keyOf(id)))?.session ?? null;
    },
    async change(id, change) {
      const step = (value: JsonObject | null, usedAt: number) => {
        const row = rowOf(value);
        return { value: row && asValue({ session: change(row.session), usedAt }), answer: null };
      };
      await (await store()).changeShared(keyOf(id), sessionLifetimeMs, step, { tells: true });
    },
    async touch(id) {
      const step = (value: JsonObject | null, usedAt: number) => ({
        value: value && { ...value, usedAt },
        answer: null,
      });
      await (await store()).changeShared(keyOf(id), sessionLifetimeMs, step);
    },
    async end(id) {
      await (await store()).changeShared(
        keyOf(id),
        sessionLifetimeMs,
        () => ({ value: null, answer: null }),
        { tells: true },
      );
    },
    async endUnused(id) {
      const step = (value: JsonObject | null, now: number) => {
        const usedAt = rowOf(value)?.usedAt ?? 0;
        const isUsed = now - usedAt < sessionIdleMs;
        return { value: isUsed ? value : null, answer: !isUsed };
      };
      return (await store()).changeShared(keyOf(id), sessionLifetimeMs, step);
    },
    async ended(ids) {
      const existingKeys = new Set(await (await store()).sharedKeys(ids.map(keyOf)));
      return ids.filter((id) => !existingKeys.has(keyOf(id)));
    },
    async leaveMail(id, message) {
      const step = (value: JsonObject | null) => {
        const messages = [...((value?.messages ?? []) as unknown[]), message].slice(-maxMail);
        return { value: { messages } as JsonObject, answer: null };
      };
      await (await store()).changeShared(`${mail}${id}`, mailLifetimeMs, step, { tells: true });
    },
    async mail(id) {
      const value = await (await store()).sharedValue(`${mail}${id}`);
      return (value?.messages ?? []) as UnknownObject[];
    },
    async tidy() {
      const opened = await store();
      await opened.alone("shared values", async () => void (await opened.forgetShared()));
    },
    onNews: (listener) =>
      onNews((news) => {
        if (news.what !== "shared") return;
        const { key } = news;
        if (key.startsWith(session)) listener({ id: key.slice(session.length), what: "changed" });
        else if (key.startsWith(mail)) listener({ id: key.slice(mail.length), what: "mail" });
      }),
  };
}

const session = "session:";
const mail = "session-mail:";

function keyOf(id: string): string {
  return `${session}${id}`;
}
