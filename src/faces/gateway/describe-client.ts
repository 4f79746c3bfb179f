import type { ClientSource } from "../../model/client-context.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { ClientTools } from "./lazy/client-tools.ts";
import type { Surface } from "./surfaces.ts";

/** What a client calls itself is shown to people. */
const maxName = 100;

/** A client with a session, as the plane counts it. */
export function describeClient(
  { id, measure }: ClientTools,
  { principal }: Surface,
  info: UnknownObject = {},
): ClientSource {
  const client = typeof info.name === "string" ? info.name.slice(0, maxName) : null;
  return { id, user: principal.user, client, era: "legacy", since: new Date().toISOString(), measure };
}
