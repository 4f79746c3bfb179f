import { version } from "../../lib/version.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { View } from "./view.ts";

export const serverInfo = { name: "toolplane", title: "Toolplane", version } as const;

/** The same whatever is behind us: servers come and go while a client is connected. */
export const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
} as const;

/** About 200 tokens, whatever there is to tell. */
const longest = 700;
const longestLine = 90;

/** What a model is told once: whose tools these are. */
export async function instructionsFor(
  plane: Plane,
  principal: Principal,
  { names: naming }: Pick<View, "names">,
): Promise<string> {
  const { servers } = plane.config();
  const names = (await plane.servers({ principal })).flatMap(({ name, state }) =>
    state === "disabled" || state === "config_error" ? [] : [name],
  );
  if (names.length === 0) return "Toolplane: no servers are connected yet.";
  const named = naming === "prefixed" ? ", named SERVER__TOOL" : "";
  let text = `Tools, prompts and resources of ${names.length} MCP server${names.length === 1 ? "" : "s"}${named}:`;
  for (const [at, name] of names.entries()) {
    const line = `\n- ${describe(name, servers[name]?.description ?? "")}`;
    if (text.length + line.length > longest) return `${text}\n- and ${names.length - at} more`;
    text += line;
  }
  return text;
}

function describe(name: string, description: string): string {
  const first = description.split("\n", 1)[0]?.trim() ?? "";
  const text = first === "" ? name : `${name}: ${first}`;
  return text.length <= longestLine ? text : `${text.slice(0, longestLine - 1)}…`;
}

/** What every result of the later revision says beside what it says. */
export function completed(result: UnknownObject): UnknownObject {
  const meta = (result._meta ?? {}) as UnknownObject;
  return {
    resultType: "complete",
    ...result,
    _meta: { ...meta, "io.modelcontextprotocol/serverInfo": serverInfo },
  };
}

/** The older revisions know nothing of what the later one adds. */
export function forOlder(result: UnknownObject): UnknownObject {
  if (result.resultType === undefined) return result;
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  const { "io.modelcontextprotocol/serverInfo": _info, ...meta } = (rest._meta ?? {}) as UnknownObject;
  if (rest._meta === undefined) return rest;
  const { _meta, ...others } = rest;
  return Object.keys(meta).length === 0 ? others : { ...others, _meta: meta };
}
