import { randomUUID } from "node:crypto";
import { pause } from "../../lib/async/pause.ts";
import { steadyNow } from "../../lib/async/steady-time.ts";
import type { AskForAccount } from "../../model/agent/code-run.ts";
import type { Outcome } from "../../model/calls/call.ts";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { RequestContext } from "./request.ts";

type Unsuccessful = Parameters<AskForAccount>[0];

/** How long a call waits for its person to sign in elsewhere. */
const waitMs = 300_000;
const pollMs = 500;

/**
 * A call that needs an account of the caller's own: a client that can open a page asks its person, and the call goes on
 * once that is done. Other clients get the link as text.
 */
export async function withAccount(
  plane: Plane,
  principal: Principal,
  context: RequestContext,
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await run();
  if (outcome.ok) return outcome;
  return (await createAskForAccount(plane, principal, context)(outcome)) ?? run();
}

/** The same for a prompt or a resource. */
export async function withAccountToRead<Answer>(
  plane: Plane,
  principal: Principal,
  context: RequestContext,
  read: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await read();
  } catch (thrown) {
    const { code, data } = toPlaneError(thrown);
    const error = { code, data, server: String(data.server) };
    const account = missingAccount(error, principal, plane);
    if (account === null) throw thrown;
    const { url } = account;
    if (canVisit(context.client.capabilities) && (await signIn(plane, principal, context, account)))
      return read();
    throw new PlaneError("AUTH_REQUIRED", linkText(account), { data: { url } });
  }
}

/** For one request, of which several calls may need the same account: its person is asked once, and not again after a no. */
export function createAskForAccount(
  plane: Plane,
  principal: Principal,
  context: RequestContext,
): AskForAccount {
  const signIns = new Map<string, { answer: Promise<boolean>; signedInAt: number }>();
  return async (outcome) => {
    const account = missingAccount(outcome.error, principal, plane);
    if (account === null) return outcome;
    if (!canVisit(context.client.capabilities)) return refusedWith(outcome, account);
    const begunAt = steadyNow() - outcome.call.durationMs;
    let attempt = signIns.get(account.server);
    // A sign-in that is lost later in the same request is asked for again; a call that began before it is only made again.
    if (attempt === undefined || attempt.signedInAt < begunAt)
      attempt = {
        answer: signIn(plane, principal, context, account),
        signedInAt: Number.POSITIVE_INFINITY,
      };
    signIns.set(account.server, attempt);
    if (!(await attempt.answer)) return refusedWith(outcome, account);
    attempt.signedInAt = Math.min(attempt.signedInAt, steadyNow());
    return null;
  };
}

async function signIn(
  plane: Plane,
  principal: Principal,
  context: RequestContext,
  { server, url }: Account,
) {
  const readTokens = createTokenReader(plane, principal, server);
  const tokensBefore = await readTokens();
  const elicitationId = randomUUID();
  const message = `'${server}' needs your own account. Sign in there to go on.`;
  const answer = await context.ask(
    "elicitation/create",
    { mode: "url", message, url, elicitationId },
    context.signal,
  );
  if (answer.action !== "accept") return false;
  const endsAt = steadyNow() + waitMs;
  // A kept token that no longer counts is replaced by the sign-in.
  while ((await readTokens()) === tokensBefore) {
    if (context.signal.aborted || steadyNow() > endsAt) return false;
    await pause(pollMs, { signal: context.signal }).catch(() => undefined);
  }
  context.notify("notifications/elicitation/complete", { elicitationId });
  return true;
}

/** The server, and where a person signs in to it. */
type Account = { server: string; url: string };

/** The account whose sign-in is missing, where the caller is a person who could have one. */
function missingAccount(
  { code, server, data }: { code: string; server: string | null; data: UnknownObject },
  { user }: Principal,
  plane: Plane,
): Account | null {
  if (code !== "AUTH_REQUIRED" || data.kind !== "oauth") return null;
  if (user === null || server === null) return null;
  const url = linkFor(plane, server);
  return url === null ? null : { server, url };
}

/** Where people sign in at the plane, they can sign in to servers behind it. */
function linkFor(plane: Plane, server: string): string | null {
  const { server: signsIn, publicUrl } = plane.config().auth;
  if (signsIn === undefined || publicUrl === undefined) return null;
  return `${new URL(publicUrl).origin}/account/${encodeURIComponent(server)}`;
}

function canVisit({ elicitation }: RequestContext["client"]["capabilities"]): boolean {
  return isObject(elicitation) && elicitation.url !== undefined;
}

/** What is kept of the person's sign-in, to be compared. */
function createTokenReader(
  plane: Plane,
  principal: Principal,
  server: string,
): () => Promise<string> {
  return async () => {
    const tokens = await plane.tokens.list({ principal });
    return JSON.stringify(tokens.filter((token) => token.server === server));
  };
}

function refusedWith(outcome: Unsuccessful, account: Account): Outcome {
  const { url } = account;
  return { ...outcome, error: { ...outcome.error, message: linkText(account), data: { url } } };
}

const linkText = ({ server, url }: Account) =>
  `Server '${server}' needs an account of yours. Open ${url} in a browser, sign in, and try again.`;
