import { errorTable, toPlaneError } from "../../../model/errors.ts";
import type { UnknownObject } from "../../../model/json.ts";
import { metaToolNames } from "../../../model/meta-tools.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Surface } from "../surfaces.ts";
import type { ClientTools } from "./client-tools.ts";
import { listTools } from "./list-tools.ts";
import { searchTools } from "./search-tools.ts";

/** Runs the tools with which a client finds others. What it got wrong is an answer that it can read. */
export function createOwnTools(plane: Plane, surface: Surface, client: ClientTools) {
  return async (tool: string, args: UnknownObject): Promise<UnknownObject> => {
    try {
      return tool === metaToolNames.search
        ? await searchTools(plane, surface, client, args)
        : await listTools(plane, surface, client, args);
    } catch (thrown) {
      const { code, message } = toPlaneError(thrown);
      if (errorTable[code].category !== "validation") throw thrown;
      return { content: [{ type: "text", text: message }], isError: true };
    }
  };
}
