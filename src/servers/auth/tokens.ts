import { PlaneError } from "../../model/errors.ts";
import type { PlaneTokens } from "../../model/plane-access.ts";
import type { Inside, Principal } from "../../model/principal.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import type { RequestCredentials } from "../open-session.ts";
import type { Credentials } from "./credentials-contract.ts";

export function serverCredentialsOf(
  credentials: Credentials,
  name: string,
  definition: ServerDefinition,
  user: string | null,
): RequestCredentials {
  return {
    authorize: (described) => credentials.headers(name, { ...definition, ...described }, user),
    onRefused: (challenge, described) =>
      credentials.refused(name, { ...definition, ...described }, user, challenge),
  };
}

export function createTokenVerbs(
  credentials: Credentials,
  definitionOf: (server: string) => Promise<ServerDefinition>,
): Inside<PlaneTokens> {
  const finish = async (parameters: URLSearchParams, { user }: Principal) =>
    credentials.finishSignIn(parameters, { user });
  return {
    async signIn(server, { principal }) {
      const definition = await definitionOf(server);
      const { listenForSignIn } = await import("./sign-in-listener.ts");
      const { redirectUri, parameters, expect, close } = await listenForSignIn();
      const cancelled = Promise.withResolvers<never>();
      const done = async () => {
        try {
          await finish(await Promise.race([parameters, cancelled.promise]), principal);
        } finally {
          await close();
        }
      };
      try {
        const { url, state } = await credentials.beginSignIn(
          server,
          definition,
          principal.user,
          redirectUri,
        );
        expect(state);
        const finished = done();
        // The caller may look at it later, or never.
        finished.catch(() => undefined);
        const cancel = () =>
          cancelled.reject(new PlaneError("CANCELLED", "The sign-in was given up."));
        return { url, finished, cancel };
      } catch (thrown) {
        await close();
        throw thrown;
      }
    },
    async list({ principal: { user, servers } }) {
      const tokens = await credentials.status(user);
      if (servers === undefined) return tokens;
      return tokens.filter(({ server }) => servers.includes(server));
    },
    async set(server, token, { principal }) {
      const { url, auth } = await definitionOf(server);
      if (url === undefined || auth?.type === "none") {
        const reason = url === undefined ? "it is a process" : "its 'auth' is 'none'";
        throw new PlaneError(
          "USAGE",
          `Server '${server}' takes no token: ${reason}. Put what it needs into its 'env'.`,
        );
      }
      await credentials.setToken(server, principal.user, token, url);
    },
    async forget(server, { principal }) {
      await definitionOf(server);
      return credentials.forget(server, principal.user);
    },
    beginSignIn: async (server, redirectUri, { principal }) =>
      credentials.beginSignIn(server, await definitionOf(server), principal.user, redirectUri),
    async finishSignIn(parameters, { principal }) {
      const { server } = await finish(parameters, principal);
      return { server };
    },
  };
}
