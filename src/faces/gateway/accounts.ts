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
const lookMs = 500;

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
    const server = accountFor({ code, data, server: String(data.server) }, principal);
    const url = server === null ? null : linkFor(plane, server);
    if (server === null || url === null) throw thrown;
    if (
      canVisit(context.client.capabilities) &&
      (await signIn(plane, principal, context, server, url))
    )
      return read();
    throw new PlaneError("AUTH_REQUIRED", linkText(server, url), { data: { url } });
  }
}

/** For one request, of which several calls may need the same account: its person is asked once, and not again after a no. */
export function createAskForAccount(
  plane: Plane,
  principal: Principal,
  context: RequestContext,
): AskForAccount {
  const asked = new Map<string, { answer: Promise<boolean>; signedInAt: number }>();
  return async (outcome) => {
    const server = accountFor(outcome.error, principal);
    const url = server === null ? null : linkFor(plane, server);
    if (server === null || url === null) return outcome;
    if (!canVisit(context.client.capabilities)) return refusedWith(outcome, server, url);
    const begunAt = steadyNow() - outcome.call.durationMs;
    let asking = asked.get(server);
    // A sign-in that is lost later in the same request is asked for again; a call that began before it is only made again.
    if (asking === undefined || asking.signedInAt < begunAt)
      asking = {
        answer: signIn(plane, principal, context, server, url),
        signedInAt: Number.POSITIVE_INFINITY,
      };
    asked.set(server, asking);
    if (!(await asking.answer)) return refusedWith(outcome, server, url);
    asking.signedInAt = Math.min(asking.signedInAt, steadyNow());
    return null;
  };
}

async function signIn(
  plane: Plane,
  principal: Principal,
  context: RequestContext,
  server: string,
  url: string,
) {
  const look = createLook(plane, principal, server);
  const before = await look();
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
  while ((await look()) === before) {
    if (context.signal.aborted || steadyNow() > endsAt) return false;
    await pause(lookMs, { signal: context.signal }).catch(() => undefined);
  }
  context.notify("notifications/elicitation/complete", { elicitationId });
  return true;
}

type Missing = { code: string; server: string | null; data: UnknownObject };

/** The server whose sign-in is missing, where the caller is a person who could have one. */
function accountFor({ code, server, data }: Missing, { user }: Principal): string | null {
  return code === "AUTH_REQUIRED" && data.kind === "oauth" && user !== null ? server : null;
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
function createLook(plane: Plane, principal: Principal, server: string): () => Promise<string> {
  return async () => {
    const tokens = await plane.tokens.list({ principal });
    return JSON.stringify(tokens.filter((token) => token.server === server));
  };
}

function refusedWith(outcome: Unsuccessful, server: string, url: string): Outcome {
  return { ...outcome, error: { ...outcome.error, message: linkText(server, url), data: { url } } };
}

const linkText = (server: string, url: string) =>
  `Server '${server}' needs an account of yours. Open ${url} in a browser, sign in, and try again.`;
