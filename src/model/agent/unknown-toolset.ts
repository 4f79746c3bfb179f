import { nearest, suggestionOf } from "../../lib/text/nearest.ts";
import { PlaneError } from "../errors.ts";

/** In the same words for one that is not there and one that is hidden. */
export function unknownToolset(alias: string, knownNames: readonly string[]): PlaneError {
  const nearestNames = nearest(alias, knownNames, 1);
  return new PlaneError(
    "NOT_FOUND",
    `No toolset '${alias}' is configured.${suggestionOf(nearestNames)} Add it under 'toolsets'.`,
    {
      data: { toolset: alias, nearest: nearestNames },
    },
  );
}
