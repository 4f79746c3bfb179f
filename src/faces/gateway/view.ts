import type { Tool } from "../../model/catalogue/tool.ts";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { mayDo, narrow, type Principal } from "../../model/principal.ts";

/** How a client sees the plane: the query of its address. */
export type View = {
  names: "prefixed" | "bare";
  mode: "full" | "lazy" | "code" | null;
  persona: string | null;
  toolset: string | null;
  server: string | null;
};

export const plainView: View = {
  names: "prefixed",
  mode: null,
  persona: null,
  toolset: null,
  server: null,
};

const choices: Partial<Record<keyof View, readonly string[]>> = {
  names: ["prefixed", "bare"],
  mode: ["full", "lazy", "code"],
};

/** Unknown keys are refused. */
export function parseView(search: string, usual: View = plainView): View {
  if (search === "" || search === "?") return usual;
  const view: Record<string, string | null> = { ...usual };
  for (const [key, value] of new URLSearchParams(search)) {
    if (!Object.hasOwn(plainView, key))
      throw new PlaneError(
        "USAGE",
        `'${key}' is not known here. Known are ${Object.keys(plainView).join(", ")}.`,
      );
    const allowed = choices[key as keyof View];
    if (allowed && !allowed.includes(value))
      throw new PlaneError("USAGE", `'${key}' must be ${allowed.join(" or ")}, not '${value}'.`);
    view[key] = value;
  }
  return view as View;
}

/** Never more than the caller is without it. */
export function principalIn(view: View, principal: Principal, plane: Plane): Principal {
  const asPersona = withPersona(principal, view.persona);
  if (view.server !== null && !plane.servers.sees(view.server, { principal: asPersona }))
    throw new PlaneError("USAGE", `No server '${view.server}' is configured for you.`);
  const atServer = view.server === null ? asPersona : narrow(asPersona, { servers: [view.server] });
  if (view.toolset === null) return atServer;
  const { providers } = selectionOf(view.toolset, plane).definition;
  return narrow(atServer, { servers: providers });
}

/** In an address it is a usage error. */
function selectionOf(toolset: string, plane: Plane) {
  try {
    return plane.toolsets.select(toolset);
  } catch (thrown) {
    const { code, message } = toPlaneError(thrown);
    if (code === "NOT_FOUND") throw new PlaneError("USAGE", message);
    throw thrown;
  }
}

/** A toolset's servers narrow the caller; its tools are checked one by one. */
export function isInView(tool: Pick<Tool, "id">, { toolset }: View, plane: Plane): boolean {
  return toolset === null || plane.toolsets.select(toolset).has(tool);
}

/** A persona brings tools, so only callers who could give them to themselves may choose one. */
function withPersona(principal: Principal, persona: string | null): Principal {
  if (persona === null || persona === principal.persona) return principal;
  if (principal.persona === null && mayDo(principal, "admin")) return { ...principal, persona };
  throw new PlaneError(
    "FORBIDDEN",
    `You may not be persona '${persona}' here. Use a key that was made for it.`,
  );
}
