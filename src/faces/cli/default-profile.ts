import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { withPlane } from "./with-plane.ts";

/** The profile that holds where the configuration names none depends on who can call, so the plane is asked. */
export async function defaultProfile(cli: Cli, options: GlobalOptions): Promise<Json> {
  try {
    return (await withPlane(cli, options, (plane) => plane.needsCredentials(), { isQuiet: true }))
      ? "guarded"
      : "personal";
  } catch {
    // A configuration that no plane starts with can be looked at all the same.
    return null;
  }
}

/** The configuration with the profile that is in force. */
export async function withProfile(shown: JsonObject, cli: Cli, options: GlobalOptions): Promise<JsonObject> {
  const { policy } = shown;
  if (!isObject(policy) || policy.profile !== null) return shown;
  return { ...shown, policy: { ...policy, profile: await defaultProfile(cli, options) } };
}
