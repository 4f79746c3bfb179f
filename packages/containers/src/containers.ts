import type { ServerContainer } from "@toolplane/core/model/servers/server";
import { sweepLeftovers } from "./leftovers.ts";
import { type Environment, findRuntime } from "./open-container.ts";

export { checkContainer } from "./check-container.ts";
export { openContainer } from "./open-container.ts";

/** Containers that an earlier plane could not remove. */
export async function removeLeftovers(
  runtimes: readonly ServerContainer["runtime"][],
  environment: Environment,
): Promise<void> {
  const commands = new Set(runtimes.flatMap((runtime) => findRuntime(runtime, environment) ?? []));
  await Promise.all([...commands].map(sweepLeftovers));
}
