import { PlaneError } from "../../model/errors.ts";
import { TransportError } from "../../protocol/message.ts";
import { OAuthProblem } from "./oauth/problem.ts";

/** What a person has to do before this server can be asked. `why` begins with 'it'. */
export function authRequired(server: string, kind: "token" | "oauth", why: string): PlaneError {
  const how = `toolplane servers login ${server}`;
  const what = kind === "token" ? "Give it a token" : "Sign in to it";
  return new PlaneError(
    "AUTH_REQUIRED",
    `Server '${server}' wants to know who asks: ${why}. ${what} with '${how}'.`,
    {
      data: { server, kind, how },
    },
  );
}

/** An authorization server's no, as one of our errors. Everything else is left as it is. */
export function withServer(server: string, thrown: unknown): unknown {
  if (!(thrown instanceof OAuthProblem)) return thrown;
  const code = thrown.configuration ? "CONFIG_INVALID" : "PROVIDER_FAILED";
  const message = `Signing in to server '${server}' is not possible: ${thrown.message}.`;
  return new PlaneError(code, message, { data: { server }, cause: thrown });
}

/** The same for faces, which know nothing of transports. */
export function forFaces(server: string, thrown: unknown): unknown {
  if (!(thrown instanceof TransportError)) return withServer(server, thrown);
  const message = `Signing in to server '${server}' is not possible now: ${thrown.message}. Try again later.`;
  return new PlaneError("SERVER_UNAVAILABLE", message, { data: { server, sent: false }, cause: thrown });
}
