import type { Plane } from "../../model/plane.ts";
import type { AppOptions } from "./app.ts";
import type { Listener } from "./mcp-front.ts";
import { sendProblem } from "./render.ts";

/**
 * The HTTP API, loaded with the first request for it. A plane that only MCP clients speak with needs neither the
 * framework nor Node's own fetch: they are a fifth of its memory and half of its start.
 */
export function createAppFront(plane: Plane, options: AppOptions): Listener {
  let loading: Promise<Listener> | undefined;
  const load = async (): Promise<Listener> => {
    const [{ createApp }, { getRequestListener }] = await Promise.all([
      import("./app.ts"),
      import("@hono/node-server"),
    ]);
    return getRequestListener(createApp(plane, options).fetch);
  };
  return (request, response) => {
    // An answer is for whoever asked, and what is in it is no page and no program. Routes may say otherwise.
    response.setHeader("cache-control", "no-store").setHeader("x-content-type-options", "nosniff");
    loading ??= load();
    loading.then(
      (listener) => listener(request, response),
      (thrown) => {
        // Files may be readable again in a moment.
        loading = undefined;
        sendProblem(response, thrown);
      },
    );
  };
}
