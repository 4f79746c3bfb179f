import { PlaneError } from "../../model/errors.ts";
import { TransportError } from "../../protocol/message.ts";

/** The message holds no secret. */
export class OAuthProblem extends Error {
  override readonly name = "OAuthProblem";
  /** RFC 6749, when the server refused. */
  readonly oauthCode: string | null;
  readonly configuration: boolean;

  constructor(
    message: string,
    { code = null, configuration = false }: { code?: string | null; configuration?: boolean } = {},
  ) {
    super(message);
    this.oauthCode = code;
    this.configuration = configuration;
  }
}

export function misconfigured(message: string): OAuthProblem {
  return new OAuthProblem(message, { configuration: true });
}

/** Codes come from outside and end in messages, so only what looks like a code is repeated. */
export function errorCode(value: unknown): string {
  return typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? value : "an unknown error";
}

/** `why` begins with 'it'. */
export function authRequired(server: string, kind: "token" | "oauth", why: string): PlaneError {
  const how = `toolplane servers login ${server}`;
  const what = kind === "token" ? "Give it a token" : "Sign in to it";
  const message = `Server '${server}' requires authentication: ${why}. ${what} with '${how}'.`;
  return new PlaneError("AUTH_REQUIRED", message, { data: { server, kind, how } });
}

export function withServer(server: string, thrown: unknown): unknown {
  if (!(thrown instanceof OAuthProblem)) return thrown;
  const code = thrown.configuration ? "CONFIG_INVALID" : "PROVIDER_FAILED";
  const message = `Signing in to server '${server}' is not possible: ${thrown.message}.`;
  return new PlaneError(code, message, { data: { server }, cause: thrown });
}

/** For faces, which do not know TransportError. */
export function forFaces(server: string, thrown: unknown): unknown {
  if (!(thrown instanceof TransportError)) return withServer(server, thrown);
  const message = `Signing in to server '${server}' is not possible now: ${thrown.message}. Try again later.`;
  return new PlaneError("SERVER_UNAVAILABLE", message, {
    data: { server, sent: false },
    cause: thrown,
  });
}
