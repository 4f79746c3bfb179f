import { readShare } from "@toolplane/core/model/catalogue/tool-query";
import { PlaneError } from "@toolplane/core/model/errors";

/** As the list of tools reads it. */
export function readSuccessRate(written: string): number {
  return readShare(written.trim(), (allowed) => {
    const message = `The success rate '${written}' cannot be read: ${allowed}.`;
    throw new PlaneError("USAGE", message, { data: { parameter: "min_success_rate" } });
  });
}
