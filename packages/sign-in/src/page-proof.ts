import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Visit } from "./visit.ts";

type Interaction = Awaited<ReturnType<Provider["interactionDetails"]>>;
type SessionMarks = { amr?: readonly string[] | undefined };
type TicketedResult = { login?: object; ticket?: string };

const mark = "page:";
/** Long enough that it cannot be guessed. Pages make it of 32 random bytes. */
const secretShape = /^[\w-]{40,200}$/;

/** Why the sign-in prompt is shown where a cookie alone says who it is. */
export const unprovenReason = "unproven_page";

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64url");

function isSameText(text: string, expected: string): boolean {
  return (
    text.length === expected.length && timingSafeEqual(Buffer.from(text), Buffer.from(expected))
  );
}

/** Kept with a session: how its person signed in, and the hash of what their page keeps. */
export function signInMarks(how: string, secret: unknown): string[] {
  const isSecret = typeof secret === "string" && secretShape.test(secret);
  if (!isSecret) return [how];
  return [how, mark + hashOf(secret)];
}

/** A session that was begun without a page is proven by nothing. */
export function isPageOf({ amr = [] }: SessionMarks, secret: unknown): boolean {
  if (typeof secret !== "string") return false;
  const expectedMark = mark + hashOf(secret);
  return amr.some((method) => method.startsWith(mark) && isSameText(method, expectedMark));
}

export function hasPage({ amr = [] }: SessionMarks): boolean {
  return amr.some((method) => method.startsWith(mark));
}

/** May the page's secret answer this prompt? Not where the client wants the person to sign in again. */
export function isProvable({ prompt, session }: Interaction): boolean {
  const isAlone = prompt.reasons.length === 1 && prompt.reasons[0] === unprovenReason;
  return isAlone && session !== undefined && hasPage(session as SessionMarks);
}

/**
 * Where the browser goes on. The ticket is in the answer to this step alone: another program of this
 * machine, which may have all cookies of the host, cannot go on in the place of the browser.
 */
export async function finishStep(
  interaction: Interaction,
  step: NonNullable<Interaction["result"]>,
): Promise<string> {
  const ticket = randomBytes(32).toString("base64url");
  interaction.result = { ...step, ticket: hashOf(ticket) };
  await interaction.persist();
  const next = new URL(interaction.returnTo);
  next.searchParams.set("ticket", ticket);
  return next.href;
}

/** Did the browser that goes on answer the sign-in itself? */
export function isTicketed({ query, oidc }: KoaContextWithOIDC): boolean {
  const { login, ticket } = (oidc.result ?? {}) as TicketedResult;
  if (login === undefined || ticket === undefined || typeof query.ticket !== "string") return false;
  return isSameText(ticket, hashOf(query.ticket));
}

export const currentSession = ({ request, response }: Visit, library: Provider) =>
  library.Session.get(library.createContext(request, response) as never);
