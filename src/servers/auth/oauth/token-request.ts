import { TransportError } from "../../../protocol/message.ts";
import { isHeaderValue } from "../header-value.ts";
import { ask } from "./ask.ts";
import { splitScopes } from "./challenge.ts";
import type { OAuthClient } from "./client.ts";
import { errorCode, OAuthProblem } from "./problem.ts";
import { allowedUrl, type Reach } from "./reach.ts";

export type Tokens = {
  accessToken: string;
  refreshToken: string | null;
  expiresAt: string | null;
  /** Null when they are those that were asked for. */
  scopes: string[] | null;
};

export type TokenRequest = {
  endpoint: string;
  client: OAuthClient;
  reach: Reach;
  now: number;
  fields: Readonly<Record<string, string>>;
};

/** Asks the token endpoint. Rejects with OAuthProblem for a no, and with TransportError when it may be a yes later. */
export async function requestToken({ endpoint, client, reach, now, fields }: TokenRequest): Promise<Tokens> {
  const url = allowedUrl(endpoint, "its token_endpoint", reach);
  const form = new URLSearchParams(fields);
  const headers = identify(client, form);
  const { status, body } = await ask({ url, reach, headers, form });
  if (status >= 500 || status === 429)
    throw new TransportError(`${url.origin} answered HTTP ${status} to a request for a token`, {
      sent: false,
    });
  if (status !== 200 || body === null || body.error !== undefined) {
    const code = errorCode(body?.error);
    throw new OAuthProblem(`${url.origin} gave no token: ${code}`, { code });
  }
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = body;
  // A token goes into a header, so it must not be able to end one.
  if (typeof accessToken !== "string" || !isHeaderValue(accessToken))
    throw new OAuthProblem(`${url.origin} gave a token that cannot be used`);
  if (typeof body.token_type !== "string" || body.token_type.toLowerCase() !== "bearer")
    throw new OAuthProblem(`${url.origin} gave a token of a type that is not supported`);
  return {
    accessToken,
    refreshToken: typeof refreshToken === "string" && refreshToken !== "" ? refreshToken : null,
    expiresAt: expiry(seconds, now),
    scopes: typeof scope === "string" ? splitScopes(scope) : null,
  };
}

function expiry(seconds: unknown, now: number): string | null {
  const number = typeof seconds === "string" ? Number(seconds) : seconds;
  const at = typeof number === "number" && number >= 0 ? now + number * 1_000 : Number.NaN;
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : null;
}

function identify(client: OAuthClient, form: URLSearchParams): Record<string, string> {
  const { id, secret, method } = client;
  if (method === "client_secret_basic" && secret !== null) {
    const pair = `${formEncode(id)}:${formEncode(secret)}`;
    return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
  }
  form.set("client_id", id);
  if (method === "client_secret_post" && secret !== null) form.set("client_secret", secret);
  return {};
}

function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
