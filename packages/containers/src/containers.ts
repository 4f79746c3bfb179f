import { statSync } from "node:fs";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import type { ServerContainer } from "@toolplane/core/model/servers/server";
import { sweepLeftovers } from "./leftovers.ts";
import { type Environment, findRuntime, missingRuntime, parseMount } from "./open-container.ts";

export { openContainer } from "./open-container.ts";

/** Containers that an earlier plane could not remove. */
export async function removeLeftovers(
  runtimes: readonly ServerContainer["runtime"][],
  environment: Environment,
): Promise<void> {
  const commands = new Set(runtimes.flatMap((runtime) => findRuntime(runtime, environment) ?? []));
  await Promise.all([...commands].map(sweepLeftovers));
}

const installAdvice =
  "Install Docker from https://docs.docker.com/get-started/get-docker, or Podman from https://podman.io.";

/** The runtime that starts it, and what of this machine it is to see. */
export function checkContainer(
  container: ServerContainer,
  environment: Readonly<Record<string, string | undefined>>,
): DoctorCheck {
  const runtime = findRuntime(container.runtime, environment);
  if (runtime === null) {
    const [problem = ""] = missingRuntime(container).split(". ");
    return failedCheck(`${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`, installAdvice);
  }
  const missingSource = container.mounts
    .map((mount) => parseMount(mount).source)
    .find((source) => statSync(source, { throwIfNoEntry: false }) === undefined);
  if (missingSource !== undefined)
    return failedCheck(
      `'container.mounts' names ${missingSource}, which does not exist.`,
      "Create it, or correct the mount.",
    );
  const network =
    container.network === "none" ? "without a network" : `in the network '${container.network}'`;
  return {
    name: "container",
    ok: true,
    detail: `${runtime} runs ${container.image} ${network}.`,
    fix: null,
  };
}

function failedCheck(detail: string, fix: string): DoctorCheck {
  return { name: "container", ok: false, detail, fix };
}
