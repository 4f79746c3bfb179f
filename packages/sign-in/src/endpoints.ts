import { networkOf } from "@toolplane/core/lib/net/client-address";
import { type SignInPorts, signInPaths } from "@toolplane/core/model/access/sign-in";
import { messagePage } from "./pages.ts";
import { askLater, sendJson, sendPage, type Visit } from "./visit.ts";

/** Where the library answers. Its router takes other spellings too; here there is one for each. */
export const routes = {
  authorization: "/oauth/authorize",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  jwks: "/oauth/keys",
} as const;

type Endpoint = keyof typeof routes | "resume" | "metadata";

/** How often one network may ask in a time. What is not named has limits of its own, or none. */
const limits: Partial<Record<Endpoint, { maxRequests: number; operation: string }>> = {
  registration: { maxRequests: 60, operation: "clients.register" },
  authorization: { maxRequests: 1_200, operation: "signIn.authorize" },
};
const limitSeconds = 3_600;

/** What the library does at this path; null where it is not exactly a path of its own. */
export function endpointOf(path: string): Endpoint | null {
  if (signInPaths.metadata.some((metadata) => metadata === path)) return "metadata";
  const route = (Object.keys(routes) as (keyof typeof routes)[]).find(
    (key) => routes[key] === path,
  );
  if (route !== undefined) return route;
  return /^\/oauth\/authorize\/[\w-]+$/.test(path) ? "resume" : null;
}

/** Counts a request to an endpoint; true where it was one too many, and is answered. */
export async function refusedByLimit(
  { rows, record }: SignInPorts,
  visit: Visit,
  endpoint: Endpoint,
): Promise<boolean> {
  const limit = limits[endpoint];
  if (limit === undefined || visit.request.method === "OPTIONS") return false;
  const key = `${endpoint} ${networkOf(visit.request)}`;
  const { count, leftSeconds } = await rows.count(key, limitSeconds);
  if (count <= limit.maxRequests) return false;
  askLater(visit, leftSeconds);
  const error = "temporarily_unavailable";
  await record({ operation: limit.operation, address: visit.address, error });
  const text = "There were too many requests. Try again later.";
  if (endpoint === "authorization") sendPage(visit, messagePage("Not now", text, "bad"), 429);
  else sendJson(visit, 429, { error, error_description: text });
  return true;
}
