import { abortable } from "../../lib/async/signals.ts";
import type { TokenGiven } from "../../model/access/credentials.ts";
import type { TokenStatus } from "../../model/access/credentials-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import {
  type Credentials,
  type CredentialsOptions,
  isHeaderValue,
  isOwnClient,
  type Remote,
  tokenHeaders,
} from "./credentials-contract.ts";
import { createLock, createStoreLock } from "./lock.ts";
import { createOAuthCredentials } from "./oauth-credentials.ts";
import { authRequired } from "./problems.ts";
import {
  type CredentialRecord,
  challengeKey,
  credentialsKey,
  credentialsPrefix,
  type EndedSignIn,
  endedKey,
  endedPrefix,
  type GivenToken,
  isExpiring,
  serverOfKey,
} from "./records.ts";
import { createVault } from "./vault.ts";

type StoredOptions = Required<Omit<CredentialsOptions, "news">> & {
  news: CredentialsOptions["news"];
  /** Servers without `auth` that turned out to want a sign-in. */
  discovered: Set<string>;
};

/** Tokens that people gave or signed in for, sealed in the store. */
export function createStoredCredentials(
  options: StoredOptions,
): Omit<Credentials, "isPersonal" | "opensForUser"> {
  const { now, onChanged } = options;
  const vault = createVault(options);
  const lock = createStoreLock(createLock(options.directory), options.store);
  const oauth = createOAuthCredentials({ ...options, vault, lock });

  async function findRecord(
    server: string,
    definition: Remote,
    user: string | null,
    isFresh = true,
  ) {
    const owner = isOwnClient(definition) ? null : user;
    const key = credentialsKey(server, owner);
    const read = isFresh ? vault.read : vault.readCached;
    const record = await read<CredentialRecord>(key);
    return { subject: { server, definition, user: owner, key }, record };
  }

  type StoredSubject = Awaited<ReturnType<typeof findRecord>>;

  async function headersFor(server: string, definition: Remote, user: string | null) {
    // Every request asks. A token that is not the newest is refused, and then it is read again.
    const { subject, record } = await findRecord(server, definition, user, false);
    if (record?.kind === "token") {
      await requireOrigin(subject, record);
      if (!isExpiring(record, now())) return tokenHeaders(definition.auth, record.token);
      throw authRequired(server, "token", "its token has expired");
    }
    if (wantsToken(definition)) throw authRequired(server, "token", "it has no token yet");
    const token = await oauth.accessToken(subject, record);
    return token === null ? {} : tokenHeaders(undefined, token);
  }

  /** Another server may have its name now. */
  async function requireOrigin(
    { server, key, definition }: StoredSubject["subject"],
    record: GivenToken,
  ): Promise<void> {
    const { origin } = new URL(definition.url);
    if (record.origin === undefined) await lock(key, () => vault.write(key, { ...record, origin }));
    else if (record.origin !== origin)
      throw authRequired(
        server,
        "token",
        `its token is for ${record.origin}, and it is at ${origin} now`,
      );
  }

  async function statusOf(key: string, user: string | null): Promise<TokenStatus> {
    const record = await vault.readIfPossible<CredentialRecord>(key);
    const server = serverOfKey(key);
    // One that cannot be opened must be given again, like an expired one.
    if (record === null)
      return { server, user, kind: "token", expiresAt: null, scopes: [], expired: true };
    const { kind, expiresAt, scopes } = record;
    const isRenewable = record.kind === "oauth" && record.refreshToken !== null;
    return {
      server,
      user,
      kind,
      expiresAt,
      scopes,
      expired: !isRenewable && isExpiring(record, now()),
    };
  }

  return {
    headers: async (server, definition, user, signal) =>
      isRemote(definition) ? abortable(headersFor(server, definition, user), signal) : {},
    async refused(server, definition, user, challenge) {
      if (!isRemote(definition)) return false;
      const { subject, record } = await findRecord(server, definition, user);
      if (record?.kind !== "token" && !wantsToken(definition))
        return oauth.refused(subject, record, challenge);
      if (challenge.status !== 401) return false;
      throw authRequired(
        server,
        "token",
        record === null ? "it has no token yet" : "it refused the token it was given",
      );
    },
    async setToken(server, user, newToken, url) {
      const key = credentialsKey(server, user);
      const record = { ...checkToken(server, newToken), origin: new URL(url).origin };
      await lock(key, () => vault.write(key, record));
      await vault.remove(challengeKey(server, user));
      await vault.remove(endedKey(server, user));
      onChanged(server, user);
    },
    async forget(server, user) {
      await vault.remove(challengeKey(server, user));
      await vault.remove(endedKey(server, user));
      const key = credentialsKey(server, user);
      // Waits for a running refresh, which would bring it back.
      const wasThere = await lock(key, () => vault.remove(key));
      if (wasThere) onChanged(server, user);
      return wasThere;
    },
    async status(user) {
      const keys = await vault.names(credentialsPrefix(user));
      return Promise.all(keys.map((key) => statusOf(key, user)));
    },
    async ended(user) {
      const names = await vault.names(endedPrefix(user));
      const ended = await Promise.all(
        names.map(async (name) => {
          const endedSignIn = await vault.readIfPossible<EndedSignIn>(name);
          return endedSignIn && ([serverOfKey(name), endedSignIn] as const);
        }),
      );
      return new Map(ended.filter((serverSignIn) => serverSignIn !== null));
    },
    async beginSignIn(server, definition, user, redirectUri) {
      if (isRemote(definition) && !wantsToken(definition) && !isOwnClient(definition))
        return oauth.beginSignIn({ server, user, redirectUri }, definition);
      const message = `Server '${server}' has no sign-in. ${remedyWithout(definition)}`;
      throw new PlaneError("USAGE", message, { data: { server } });
    },
    async finishSignIn(parameters, as) {
      const signedIn = await oauth.finishSignIn(parameters, as?.user);
      onChanged(signedIn.server, signedIn.user);
      return signedIn;
    },
  };
}

function isRemote(definition: ServerDefinition): definition is Remote {
  return definition.url !== undefined;
}

function wantsToken({ auth }: ServerDefinition): boolean {
  return auth !== undefined && auth.type !== "oauth";
}

function remedyWithout(definition: ServerDefinition): string {
  if (definition.command !== undefined) return "Give it what it needs in 'env'.";
  return isOwnClient(definition) ? "It signs in as its own client." : "Give it a token instead.";
}

function checkToken(
  server: string,
  { token: text, expiresAt, scopes = [] }: TokenGiven,
): GivenToken {
  const token = text.trim();
  const expiry = expiresAt == null ? null : new Date(expiresAt);
  const isTime = !Number.isNaN(expiry?.getTime());
  if (isHeaderValue(token) && isTime)
    return { kind: "token", token, expiresAt: expiry?.toISOString() ?? null, scopes };
  const problem = isTime
    ? "is empty or has characters that no header can carry"
    : "has an expiry that is no time; write it like 2027-01-31T12:00:00Z";
  throw new PlaneError("USAGE", `The token for server '${server}' ${problem}.`, {
    data: { server },
  });
}
