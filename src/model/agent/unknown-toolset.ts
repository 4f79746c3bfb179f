import { nearest } from "../../lib/text/nearest.ts";
import { PlaneError } from "../errors.ts";

/** In the same words for one that is not there and one that is hidden. */
export function unknownToolset(alias: string, known: readonly string[]): PlaneError {
  const near = nearest(alias, known, 1);
  const meant = near.map((name) => ` Did you mean '${name}'?`).join("");
  return new PlaneError(
    "NOT_FOUND",
    `No toolset '${alias}' is configured.${meant} Add it under 'toolsets'.`,
    {
      data: { toolset: alias, nearest: near },
    },
  );
}
