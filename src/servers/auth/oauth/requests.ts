import type { ClientAuth } from "oauth4webapi";
import type { StrictGate } from "../../../lib/net/egress.ts";
import type { UnknownObject } from "../../../model/json.ts";
import { isHeaderValue } from "../credentials-contract.ts";
import { errorCode, OAuthProblem, unknownError } from "../problems.ts";
import { type OAuthClient, type OAuthRecord, renewTime } from "../records.ts";
import { splitScopes } from "./challenge.ts";
import {
  allowedUrl,
  type CheckedFetch,
  checkedFetch,
  readJsonObject,
  retryLaterError,
} from "./checked-fetch.ts";
import type { Issuer } from "./discover.ts";

/** Loaded with the first sign-in or refresh. */
export const loadLibrary = () => import("oauth4webapi");
type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** The scopes are null when they are those requested. */
type Tokens = Pick<OAuthRecord, "accessToken" | "refreshToken" | "expiresAt" | "renewAt"> & {
  scopes: string[] | null;
};

type TokenRequest = {
  server: Pick<Issuer, "issuer" | "token_endpoint">;
  client: OAuthClient;
  gate: StrictGate;
  now: number;
  grant: "authorization_code" | "refresh_token" | "client_credentials";
  fields: Readonly<Record<string, string>>;
};

/** Rejects with OAuthProblem on a refusal, with TransportError when a later try may succeed. */
export async function requestToken({
  server,
  client,
  gate,
  now,
  grant,
  fields,
}: TokenRequest): Promise<Tokens> {
  const oauth = await loadLibrary();
  const { origin } = allowedUrl(server.token_endpoint, "its token_endpoint", gate);
  const oauthClient = { client_id: client.id };
  const options = optionsFor(oauth, gate, 200);
  const answer = await oauth
    .genericTokenEndpointRequest(
      server,
      oauthClient,
      authentication(oauth, client),
      grant,
      fields,
      options,
    )
    .then((response) => oauth.processGenericTokenEndpointResponse(server, oauthClient, response))
    .catch((thrown: unknown) => {
      throw problemOf(oauth, thrown, origin, "gave no token");
    });
  // A token goes into a header, so it must not be able to end one.
  if (answer.token_type !== "bearer" || !isHeaderValue(answer.access_token))
    throw new OAuthProblem(`${origin} gave a token that cannot be used`);
  const lifetimeMs = (answer.expires_in ?? Number.NaN) * 1_000;
  const expiresAt = now + lifetimeMs;
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? null,
    expiresAt: isoTime(expiresAt),
    renewAt: isoTime(renewTime(expiresAt, lifetimeMs)),
    scopes: answer.scope === undefined ? null : splitScopes(answer.scope),
  };
}

const maxTimeMs = 8.64e15;
const isoTime = (ms: number) => (ms <= maxTimeMs ? new Date(ms).toISOString() : null);

/** RFC 7591. */
export async function requestRegistration(
  server: Issuer,
  metadata: Record<string, string | string[]>,
  gate: StrictGate,
) {
  const oauth = await loadLibrary();
  return oauth
    .dynamicClientRegistrationRequest(server, metadata, optionsFor(oauth, gate, 201))
    .then(oauth.processDynamicClientRegistrationResponse)
    .catch((thrown: unknown) => {
      throw problemOf(oauth, thrown, server.issuer, "did not register us");
    });
}

function optionsFor(oauth: Library, gate: StrictGate, expectedStatus: 200 | 201) {
  // allowedUrl decides which addresses may be http.
  return {
    [oauth.customFetch]: tolerantFetch(gate, expectedStatus),
    [oauth.allowInsecureRequests]: true,
  };
}

/** The library is strict: many servers send another status, an error with 200, or nulls. An ID token is dropped unread. */
function tolerantFetch(gate: StrictGate, expectedStatus: 200 | 201): CheckedFetch {
  return async (url, options) => {
    const response = await checkedFetch(gate)(url, options);
    const { status } = response;
    if (status >= 500 || status === 429 || status === 408)
      throw retryLaterError(new URL(url).origin, `answered HTTP ${status}`, response);
    const body: UnknownObject = (await readJsonObject(response)) ?? {};
    const isReadable = ([name, member]: [string, unknown]) =>
      member !== null && member !== "" && name !== "id_token";
    const members = Object.fromEntries(Object.entries(body).filter(isReadable));
    const isSuccess = status < 300 && body.error === undefined;
    const retryAfter = response.headers.get("retry-after");
    const init = {
      status: isSuccess ? expectedStatus : Math.max(status, 400),
      headers: retryAfter === null ? {} : { "retry-after": retryAfter },
    };
    return Response.json({ client_secret_expires_at: 0, ...members }, init);
  };
}

/** The same request may succeed later. RFC 6749 names the first two for the browser alone; token endpoints send them, too. */
const transientCodes = ["temporarily_unavailable", "server_error", "slow_down"];

/**
 * `didNot` is what the origin failed to do: "did not register us". Of the error only the code is kept: its cause holds
 * the answer, tokens included.
 */
function problemOf(oauth: Library, thrown: unknown, origin: string, didNot: string): unknown {
  const summary = `${origin} ${didNot}`;
  if (thrown instanceof oauth.ResponseBodyError) {
    const code = errorCode(thrown.error);
    const text = `${didNot}: ${code} (HTTP ${thrown.status})`;
    if (transientCodes.includes(code)) return retryLaterError(origin, text, thrown.response);
    return new OAuthProblem(`${origin} ${text}`, { code });
  }
  if (thrown instanceof oauth.UnsupportedOperationError)
    return new OAuthProblem(`${summary} of a type that is supported`);
  if (!(thrown instanceof oauth.OperationProcessingError)) return thrown;
  // The answer is an error without a code.
  if (thrown.code === oauth.RESPONSE_IS_NOT_CONFORM)
    return new OAuthProblem(`${summary}: ${unknownError}`, { code: unknownError });
  return new OAuthProblem(`${summary}: its answer is incomplete or malformed`);
}

function authentication(oauth: Library, { secret, method }: OAuthClient): ClientAuth {
  if (secret === null || method === "none") return oauth.None();
  return method === "client_secret_post" ? oauth.ClientSecretPost(secret) : secretBasic(secret);
}

/** The library also escapes '-', '_' and '.', which servers that do not decode refuse. */
function secretBasic(secret: string): ClientAuth {
  const encode = (text: string) => new URLSearchParams({ "": text }).toString().slice(1);
  return (_server, client, _body, headers) => {
    const pair = `${encode(client.client_id)}:${encode(secret)}`;
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  };
}
