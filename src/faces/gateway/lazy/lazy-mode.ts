import { pause } from "../../../lib/async/pause.ts";
import type { Plane } from "../../../model/plane.ts";
import type { ShownTool } from "../../../model/plane-tools.ts";
import type { Surface } from "../surfaces.ts";

export type LazyMode = ReturnType<typeof createLazyMode>;

const greetingMs = 250;

type Named = ReadonlyMap<string, Pick<ShownTool, "parameters" | "description">>;
type Settled = { config: object; isLazy: boolean; of: Named };

/** The address decides; otherwise the configuration and the size of the list. */
export function createLazyMode(plane: Plane) {
  const settled = new WeakMap<Surface, Settled>();

  async function decide(surface: Surface): Promise<boolean> {
    const config = plane.config();
    const { mode } = config.lazy;
    if (mode !== "auto") return mode === "always";
    const previous = settled.get(surface);
    // A short list may grow; a client that once got a short one never gets everything.
    if (previous?.config === config && previous.isLazy) return true;
    const named = await surface.tools.named("long");
    if (previous?.config === config && isSame(previous.of, named)) return false;
    const isLazy = await plane.tools.isLazy({ tools: [...named.values()] });
    settled.set(surface, { config, isLazy, of: named });
    return isLazy;
  }

  const isLazy = async (surface: Surface) => {
    const { mode } = surface.view;
    return mode === null ? decide(surface) : mode === "lazy";
  };
  return {
    /** Do clients of this surface load tools on demand? */
    isLazy,
    /** Do they call tools from programs? */
    isCode: ({ view: { mode } }: Surface): boolean => (mode ?? plane.config().lazy.mode) === "code",
    /** Is it known to be lazy? Costs nothing. */
    isSettled(surface: Surface): boolean {
      const { mode } = surface.view;
      const configured = plane.config().lazy.mode;
      if (mode !== null) return mode === "lazy";
      if (configured !== "auto") return configured === "always";
      return settled.get(surface)?.isLazy === true;
    },
    /** Without waiting for servers. */
    isKnownLazy: (surface: Surface): Promise<boolean> =>
      Promise.race([
        isLazy(surface).catch(() => false),
        pause(greetingMs, { isBackground: true }).then(() => false),
      ]),
  };
}

/** Comparing lists is much cheaper than counting tokens. */
function isSame(before: Named, now: Named): boolean {
  if (before === now) return true;
  if (before.size !== now.size) return false;
  for (const [name, { parameters, description }] of now) {
    const toolBefore = before.get(name);
    if (toolBefore?.parameters !== parameters || toolBefore.description !== description)
      return false;
  }
  return true;
}
