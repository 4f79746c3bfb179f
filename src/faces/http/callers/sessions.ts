import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A bound on what is known here; the oldest are asked for again. */
const maxCached = 1_000;
/** Another plane may have ended it meanwhile. */
const freshMs = 1_000;
/** A session that is used is kept on, so often. */
const renewMs = 60 * 60 * 1_000;

/** What a session stands for. The page's half is a hash. */
export type BrowserSession = { credential: string; page: string };

/** Where sessions are, for all planes on one store; each is over half a day after it was kept for the last time. */
export type SessionPlace = {
  keep(cookie: string, session: BrowserSession): Promise<void>;
  find(cookie: string): Promise<BrowserSession | null>;
  end(cookie: string): Promise<void>;
};

/** What a browser gets: `cookie` for the browser alone, `page` for the page alone. */
export type NewSession = { cookie: string; page: string };

/**
 * Browsers that have shown a credential. The plane is shown it with every request, so that what is revoked is of no use at
 * once. A cookie goes to every port of a host, hence also to other programs of this machine; so it counts only together
 * with a word that the page itself has to say.
 */
export type BrowserSessions = {
  begin(credential: string): Promise<NewSession>;
  credentialOf(cookie: string | undefined, page: string | undefined): Promise<string | null>;
  end(cookie: string | undefined): Promise<void>;
};

type CachedSession = { session: BrowserSession; readAt: number; keptAt: number };

export function createBrowserSessions(
  store: SessionPlace,
  now: () => number = Date.now,
): BrowserSessions {
  const cache = new Map<string, CachedSession>();

  function remember(cookie: string, cached: CachedSession): void {
    cache.delete(cookie);
    cache.set(cookie, cached);
    for (const oldest of cache.keys()) {
      if (cache.size <= maxCached) break;
      cache.delete(oldest);
    }
  }

  async function findSession(cookie: string): Promise<CachedSession | null> {
    const cached = cache.get(cookie);
    if (cached !== undefined && now() - cached.readAt < freshMs) return cached;
    try {
      const session = await store.find(cookie);
      if (session === null) {
        cache.delete(cookie);
        return null;
      }
      const fresh = { session, readAt: now(), keptAt: cached?.keptAt ?? 0 };
      remember(cookie, fresh);
      return fresh;
    } catch (thrown) {
      // A page of a plane whose store is unreachable says so; without its session it could not.
      if (cached !== undefined) return cached;
      throw thrown;
    }
  }

  return {
    async begin(credential) {
      const cookie = randomBytes(32).toString("base64url");
      const page = randomBytes(32).toString("base64url");
      const session = { credential, page: hash(page).toString("base64url") };
      await store.keep(cookie, session);
      remember(cookie, { session, readAt: now(), keptAt: now() });
      return { cookie, page };
    },
    async credentialOf(cookie, page) {
      if (cookie === undefined || page === undefined) return null;
      const cached = await findSession(cookie);
      if (
        cached === null ||
        !timingSafeEqual(Buffer.from(cached.session.page, "base64url"), hash(page))
      )
        return null;
      if (now() - cached.keptAt >= renewMs) {
        cached.keptAt = now();
        await store.keep(cookie, cached.session).catch(() => undefined);
      }
      return cached.session.credential;
    },
    async end(cookie) {
      if (cookie === undefined) return;
      cache.delete(cookie);
      await store.end(cookie);
    },
  };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
