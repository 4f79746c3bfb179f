import { momentText } from "../../lib/text/wording.ts";
import { PlaneError } from "../../model/errors.ts";
import type { ServerStatus } from "../../model/servers/server-schema.ts";
import { TransportError } from "../../protocol/message.ts";
import type { EndedSignIn } from "./records.ts";

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

export const unknownError = "an unknown error";

/** Codes come from outside and end in messages, so only what looks like a code is repeated. */
export function errorCode(code: unknown): string {
  return typeof code === "string" && /^[\w.-]{1,64}$/.test(code) ? code : unknownError;
}

const howToSignIn = (server: string) => `toolplane servers login ${server}`;

/** `reason` begins with 'it'. */
export function authRequired(server: string, kind: "token" | "oauth", reason: string): PlaneError {
  const command = howToSignIn(server);
  const what = kind === "token" ? "Give it a token" : "Sign in to it";
  const message = `Server '${server}' requires authentication: ${reason}. ${what} with '${command}'.`;
  return new PlaneError("AUTH_REQUIRED", message, { data: { server, kind, how: command } });
}

/** What a person reads of a sign-in that the authorization server has ended. */
export function endedWords(
  { at: endedAt, code }: Pick<EndedSignIn, "at" | "code">,
  now?: number,
): string {
  const explanation = endingTexts[code];
  const ended = `its sign-in ended at ${momentText(endedAt, now)}: ${code}`;
  return explanation === undefined ? ended : `${ended} (${explanation})`;
}

const unknownClient = "the authorization server no longer accepts this client";
/** Beside the codes of OAuth, those of our own. */
const endings = {
  invalid_client: unknownClient,
  unauthorized_client: unknownClient,
  invalid_token: "the server refused its token",
  expired: "it came without a refresh token",
  client_changed: "'auth.clientId' has changed",
} as const satisfies Record<string, string>;
const endingTexts: Readonly<Record<string, string>> = endings;

export type Ending = "invalid_grant" | keyof typeof endings;

/** The only answers to a renewal after which no further one can succeed. */
export function asEnding(code: string | null): Ending | null {
  const refusals = ["invalid_grant", "invalid_client", "unauthorized_client"] as const;
  return refusals.find((refusal) => refusal === code) ?? null;
}

export function signInEnded(server: string, ended: EndedSignIn, now?: number): PlaneError {
  const { code, message, data } = authRequired(server, "oauth", endedWords(ended, now));
  return new PlaneError(code, message, {
    data: { ...data, endedAt: ended.at, reason: ended.code },
  });
}

/** As its user reads it: a server without its sign-in is not idle. */
export function withEndedSignIn(
  status: ServerStatus,
  { at, code }: Pick<EndedSignIn, "at" | "code">,
): ServerStatus {
  const command = howToSignIn(status.name);
  const error = `${endedWords({ at, code })}. Sign in to it with '${command}'`;
  return {
    ...status,
    state: status.state === "disconnected" ? "error" : status.state,
    idle: false,
    error,
    signInEnded: { at, reason: code, how: command },
  };
}

export function withServer(server: string, thrown: unknown): unknown {
  if (!(thrown instanceof OAuthProblem)) return thrown;
  const code = thrown.configuration ? "CONFIG_INVALID" : "PROVIDER_FAILED";
  const message = `Signing in to server '${server}' is not possible: ${thrown.message}.`;
  return new PlaneError(code, message, { data: { server, sent: false }, cause: thrown });
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
