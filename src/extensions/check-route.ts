import type { ExtensionOperation } from "../model/extensions/extension.ts";
import { isObject } from "../model/json.ts";

const methods: readonly string[] = ["get", "post", "put", "delete"];
const segmentPattern = /^(?:[a-z0-9][a-z0-9._-]*|\{[A-Za-z]\w*\})$/;
const inputInPath = /\{(\w+)\}/g;
/** Addresses of the plane's own begin with these words. */
const takenNames: readonly string[] = ["operations", "panels"];

/** What is wrong with the address of an operation; null for what fits, and where it has none. */
export function routeProblem(
  extension: string,
  { http, input, scope, changes = false }: ExtensionOperation,
  earlier: readonly ExtensionOperation[],
): string | null {
  if (http === undefined) return null;
  if (!isObject(http) || !methods.includes(http.method))
    return `its 'http' has no 'method' of ${methods.join(", ")}`;
  const base = `/extensions/${extension}/`;
  if (!isBelow(base, http.path))
    return `the 'path' of its 'http' is no address such as '${base}list/{name}'`;
  if (takenNames.includes(extension)) return `'${base}' is an address of the plane`;
  const properties = isObject(input?.properties) ? input.properties : {};
  const unknown = [...http.path.matchAll(inputInPath)].find(
    ([, name = ""]) => !Object.hasOwn(properties, name),
  );
  if (unknown !== undefined) return `its 'input' has no '${unknown[1]}', which its path names`;
  // A page of another site can make a browser ask for it.
  if (http.method === "get" && (changes || scope !== "read"))
    return "a 'get' only reads: its scope is 'read', and it changes nothing";
  const isSame = (operation: ExtensionOperation) => addressOf(operation) === addressOf({ http });
  if (earlier.some(isSame)) return `another operation has '${http.method} ${http.path}'`;
  return null;
}

function isBelow(base: string, path: unknown): boolean {
  if (typeof path !== "string" || !path.startsWith(base)) return false;
  const segments = path.slice(base.length).split("/");
  return segments.every((segment) => segmentPattern.test(segment));
}

/** Names of inputs tell no addresses apart. */
function addressOf({ http }: Pick<ExtensionOperation, "http">): string | null {
  if (http === undefined) return null;
  return `${http.method} ${http.path.replaceAll(inputInPath, "{}")}`;
}
