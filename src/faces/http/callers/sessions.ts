import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A bound on open sessions; the oldest are dropped. */
const maxSessions = 1_000;
/** Since its last use. */
const idleMs = 12 * 60 * 60 * 1_000;

type Session = { credential: string; page: Buffer; usedAt: number };

/** What a browser gets: `cookie` for the browser alone, `page` for the page alone. */
export type NewSession = { cookie: string; page: string };

/**
 * Browsers that have shown a credential. It stays here, in memory, and is shown to the plane with every request, so that
 * what is revoked is of no use at once. A cookie goes to every port of a host, hence also to other programs of this
 * machine; so it counts only together with a word that the page itself has to say.
 */
export type BrowserSessions = {
  begin(credential: string): NewSession;
  credentialOf(cookie: string | undefined, page: string | undefined): string | null;
  end(cookie: string | undefined): void;
};

export function createBrowserSessions(now: () => number = Date.now): BrowserSessions {
  const sessions = new Map<string, Session>();

  function forgetOld(): void {
    const limit = now() - idleMs;
    for (const [key, { usedAt }] of sessions) if (usedAt < limit) sessions.delete(key);
    for (const key of sessions.keys()) {
      if (sessions.size < maxSessions) break;
      sessions.delete(key);
    }
  }

  return {
    begin(credential) {
      forgetOld();
      const cookie = randomBytes(32).toString("base64url");
      const page = randomBytes(32).toString("base64url");
      sessions.set(hash(cookie).toString("hex"), { credential, page: hash(page), usedAt: now() });
      return { cookie, page };
    },
    credentialOf(cookie, page) {
      if (cookie === undefined || page === undefined) return null;
      const session = sessions.get(hash(cookie).toString("hex"));
      if (!session || session.usedAt < now() - idleMs) return null;
      if (!timingSafeEqual(session.page, hash(page))) return null;
      session.usedAt = now();
      return session.credential;
    },
    end(cookie) {
      if (cookie !== undefined) sessions.delete(hash(cookie).toString("hex"));
    },
  };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
