import { once } from "../../lib/once.ts";
import type { ServerDefinition } from "../../model/server.ts";
import { isOwnClient, tokenHeaders } from "./token-headers.ts";
import type { Credentials, CredentialsOptions } from "./who-asks.ts";

/** How the plane tells a remote server who asks. What the configuration says is answered without loading anything. */
export function createCredentials(options: CredentialsOptions): Credentials {
  /** Servers that did not say so and want a sign-in. */
  const discovered = new Set<string>();
  const stored = once(async () => {
    const { createStoredCredentials } = await import("./stored-credentials.ts");
    const { now = Date.now, vaultKey = async () => undefined } = options;
    return createStoredCredentials({ ...options, now, vaultKey, discovered });
  });

  return {
    async headers(server, definition, user, signal) {
      const fixed = fixedHeaders(definition);
      return fixed ?? (await stored()).headers(server, definition, user, signal);
    },
    async refused(server, definition, user, challenge) {
      if (fixedHeaders(definition) !== null || ![401, 403].includes(challenge.status)) return false;
      return (await stored()).refused(server, definition, user, challenge);
    },
    isPersonal(definition) {
      const { auth, url } = definition;
      if (fixedHeaders(definition) !== null || isOwnClient(definition)) return false;
      return auth !== undefined || discovered.has(url ?? "");
    },
    setToken: async (...given) => (await stored()).setToken(...given),
    forget: async (...who) => (await stored()).forget(...who),
    status: async (user) => (await stored()).status(user),
    beginSignIn: async (...wanted) => (await stored()).beginSignIn(...wanted),
    finishSignIn: async (...came) => (await stored()).finishSignIn(...came),
  };
}

/** Null when it is not for the configuration to say. An empty token is no token, so it makes no header. */
function fixedHeaders({ auth, url, headers }: ServerDefinition): Record<string, string> | null {
  if (url === undefined || auth?.type === "none" || auth?.token === "") return {};
  // Whoever writes the header says everything there is to say.
  if (auth === undefined && Object.keys(headers).some((name) => /^authorization$/i.test(name))) return {};
  return auth?.token === undefined ? null : tokenHeaders(auth, auth.token);
}
