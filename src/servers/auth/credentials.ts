import { once } from "../../lib/async/once.ts";
import { hasPersonalAuth, type ServerDefinition } from "../../model/servers/server.ts";
import {
  type Credentials,
  type CredentialsOptions,
  isOwnClient,
  tokenHeaders,
} from "./credentials-contract.ts";

/** Configured credentials need no store and load nothing. */
export function createCredentials(options: CredentialsOptions): Credentials {
  /** Servers without `auth` that turned out to want a sign-in. */
  const discovered = new Set<string>();
  /** Servers that got the token of a user, whatever their configuration says. */
  const tokenServers = new Set<string>();
  const stored = once(async () => {
    const { createStoredCredentials } = await import("./stored-credentials.ts");
    const { now = Date.now, vaultKey = async () => undefined, news } = options;
    return createStoredCredentials({ ...options, now, vaultKey, news, discovered });
  });

  const isPersonal = (definition: ServerDefinition) => {
    if (hasPersonalAuth(definition)) return true;
    if (fixedHeaders(definition) !== null || isOwnClient(definition)) return false;
    return discovered.has(definition.url ?? "");
  };

  return {
    async headers(server, definition, user, signal) {
      const fixed = fixedHeaders(definition);
      if (fixed !== null) return fixed;
      const userHeaders = await (await stored()).headers(server, definition, user, signal);
      if (Object.keys(userHeaders).length > 0 && !isOwnClient(definition)) tokenServers.add(server);
      return userHeaders;
    },
    async refused(server, definition, user, challenge) {
      if (fixedHeaders(definition) !== null || ![401, 403].includes(challenge.status)) return false;
      return (await stored()).refused(server, definition, user, challenge);
    },
    isPersonal,
    opensForUser: (server, definition) => isPersonal(definition) || tokenServers.has(server),
    setToken: async (...args) => (await stored()).setToken(...args),
    forget: async (...args) => (await stored()).forget(...args),
    status: async (user) => (await stored()).status(user),
    ended: async (user) => (await stored()).ended(user),
    beginSignIn: async (...args) => (await stored()).beginSignIn(...args),
    finishSignIn: async (...args) => (await stored()).finishSignIn(...args),
  };
}

/** Null when the configuration does not decide. An empty token makes no header. */
function fixedHeaders({
  auth,
  url,
  openapi,
  headers,
}: ServerDefinition): Record<string, string> | null {
  if ((url === undefined && openapi === undefined) || auth?.type === "none" || auth?.token === "")
    return {};
  // A configured header replaces all of this.
  if (auth === undefined && Object.keys(headers).some((name) => /^authorization$/i.test(name)))
    return {};
  if (auth?.token !== undefined) return tokenHeaders(auth, auth.token);
  return auth?.schemes === undefined ? null : {};
}
