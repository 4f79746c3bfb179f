import { isObject, type UnknownObject } from "../../model/json.ts";
import type { ServerDefinition } from "../../model/server.ts";
import type { ToolAuth } from "../../model/tool.ts";

type Settings = Pick<ServerDefinition, "auth" | "auth_required" | "auth_env">;

/**
 * What a listed tool says about signing in, and what its server's configuration says: the tool first, scopes of both.
 * Which variables hold credentials only the configuration says; a server must not find out what is set here.
 */
export function mergeAuth(entry: UnknownObject, { auth, auth_required, auth_env = [] }: Settings): ToolAuth {
  const own = isObject(entry.auth) ? entry.auth : {};
  const scopes = [...new Set([...readScopes(own.scopes), ...(auth?.scopes ?? [])])];
  const said = [entry.requires_authentication, own.required, auth_required];
  const required = said.map(readFlag).find((flag) => flag !== undefined) ?? scopes.length > 0;
  const ofServer = auth === undefined || auth.type === "none" ? undefined : auth.type;
  const type = [own.type, own.scheme, ofServer].find((one) => typeof one === "string" && one !== "");
  return {
    required,
    ...(type === undefined ? {} : { type: String(type) }),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(auth_env.length === 0
      ? {}
      : { envs: Object.fromEntries(auth_env.map((name) => [name, { required: false }])) }),
  };
}

/** A list, or a text with spaces between its words. */
function readScopes(said: unknown): string[] {
  const words = typeof said === "string" ? said.split(/\s+/) : Array.isArray(said) ? said : [];
  return words.filter((word) => typeof word === "string" && word.trim() !== "");
}

const flags: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...["1", "true", "yes", "on", true, 1].map((word) => [word, true] as const),
  ...["0", "false", "no", "off", false, 0].map((word) => [word, false] as const),
]);

function readFlag(said: unknown): boolean | undefined {
  return flags.get(typeof said === "string" ? said.trim().toLowerCase() : said);
}
