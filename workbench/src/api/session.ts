import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { SessionSchema } from "../../../src/faces/http/callers/session-routes.ts";
import { keepSession, readAnswer, send } from "./client.ts";

/** What the HTTP face adds to the operations for browsers: sessions, signing in to servers, and whether it is up. */
export type Session = z.infer<typeof SessionSchema>;

export const sessionQuery = () =>
  queryOptions({
    queryKey: ["session"],
    queryFn: async ({ signal }) => readAnswer<Session>(await send("GET", "/session", { signal })),
  });

/** Exchanges a credential for a session: a cookie and the page's half. */
export async function beginSession(key: string): Promise<void> {
  const { page } = await readAnswer<Session & { page: string }>(
    await send("POST", "/session", { body: { key } }),
  );
  keepSession(page);
}

/** Whether people can sign in with an account: the plane says where. */
export async function signsPeopleIn(): Promise<boolean> {
  const answer = await send("GET", "/.well-known/oauth-authorization-server");
  return answer.ok;
}

/** Signs out, also where the plane does not answer. */
export async function endSession(): Promise<void> {
  await send("DELETE", "/session").catch(() => undefined);
  keepSession(null);
}

/** The pass at the end of the operator's link, or null. */
export function passIn(text: string): string | null {
  return /#pass=([\w-]+)\s*$/.exec(text)?.[1] ?? null;
}

/** Removes the pass from the address bar and exchanges it for a session. */
export async function takePass(): Promise<void> {
  const pass = passIn(location.hash);
  if (pass === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  // An expired link still opens the page.
  await beginSession(pass).catch(() => undefined);
}

/** Where this browser signs in to a server. */
export async function beginSignIn(server: string): Promise<{ url: string }> {
  return readAnswer(await send("POST", `/servers/${encodeURIComponent(server)}/sign-in`));
}

/** Rejects where the plane does not answer. */
export async function checkHealth(): Promise<void> {
  await send("GET", "/healthz");
}
