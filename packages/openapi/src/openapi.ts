import type { ServerDefinition } from "@toolplane/core/model/servers/server";
import type { DescribedApi } from "@toolplane/core/servers";
import { describedBy, loadApi, operationUrl, refuseStrangeOrigin } from "./api.ts";

export { openApi } from "./open-api.ts";

/** Null where there is no document to read. Rejects with a TransportError that says what is wrong with it. */
export async function describeApi(
  definition: ServerDefinition,
  signal?: AbortSignal,
): Promise<DescribedApi | null> {
  const loaded = await loadApi(definition, signal);
  if (loaded === null) return null;
  const { api } = loaded;
  return {
    title: api.title,
    base: api.base,
    tools: api.tools,
    schemes: [...api.schemes.keys()],
    async address(namedBy) {
      const address = await operationUrl(api, { servers: [] }, definition, namedBy);
      refuseStrangeOrigin(api, address, definition);
      return address;
    },
    target: (namedBy) => describedBy(api, definition, namedBy),
  };
}
