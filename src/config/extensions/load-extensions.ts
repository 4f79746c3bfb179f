import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { ExtensionUse } from "../../model/config/config.ts";
import {
  type Extension,
  extensionInterface,
  planeParts,
} from "../../model/extensions/extension.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { builtinKinds } from "../parse-value.ts";
import { addKinds } from "./added-kinds.ts";
import { findModule } from "./find-module.ts";

/** An extension that a configuration or a program names, with its code; or why there is none. */
export type LoadedExtension = {
  /** As it was named. */
  use: string;
  /** Null for one that a program brings. */
  file: string | null;
  /** Where relative paths of its settings start. */
  directory: string;
  /** As written, with references to variables and secrets. */
  settings: JsonObject;
  /** Of importing it. */
  importMs: number;
} & (Usable | Unusable);
type Usable = { extension: Extension };
type Unusable = {
  extension: null;
  why: string;
  /** Of what its code threw. */
  stack: string | null;
  /** Its entry is wrong, which is reported as every wrong value is. */
  isMisspelled?: boolean;
};

/** What a configuration says about one, or what is wrong with it. */
export type NamedExtension = ExtensionUse | { use: string; wrong: string };

const ownKind = /^[a-z][a-z0-9-]*$/;
/** Of ours, or of other products that have them in their files. */
const taken: ReadonlySet<string> = new Set([
  "env",
  "file",
  "command",
  "keychain",
  "input",
  "config",
]);
const takenSchemes: ReadonlySet<string> = new Set(["http", "https", "ws", "wss", "memory", "file"]);

/** Imports them in order, once a process: changed code is in force after the next start. Never rejects. */
export async function loadExtensions(
  uses: readonly NamedExtension[],
  fileOf: (at: number) => string,
): Promise<LoadedExtension[]> {
  const loaded: LoadedExtension[] = [];
  for (const [at, named] of uses.entries()) {
    const directory = dirname(fileOf(at));
    const { use } = named;
    if ("wrong" in named) {
      const nothing = { use, directory, file: null, settings: {}, importMs: 0 };
      loaded.push({ ...nothing, ...unusable(named.wrong), isMisspelled: true });
    } else loaded.push(await loadExtension(use, named.with as JsonObject, directory));
  }
  return withoutDoubles(loaded);
}

async function loadExtension(
  use: string,
  settings: JsonObject,
  directory: string,
): Promise<LoadedExtension> {
  const named = { use, directory, settings };
  const found = findModule(use, directory);
  if (!("file" in found)) {
    const why = `${found.why}. ${found.remedy}`;
    return { ...named, file: null, importMs: 0, ...unusable(why) };
  }
  const { file } = found;
  const begunAt = performance.now();
  try {
    const module: unknown = await import(pathToFileURL(file).href);
    const importMs = performance.now() - begunAt;
    return { ...named, file, importMs, ...takeExtension(exportedBy(module)) };
  } catch (thrown) {
    const importMs = performance.now() - begunAt;
    const { why, stack } = await (await import("./why-not-imported.ts")).whyNotImported(
      thrown,
      file,
      directory,
    );
    return { ...named, file, importMs, ...unusable(why, stack) };
  }
}

const unusable = (why: string, stack: string | null = null): Unusable => ({
  extension: null,
  why,
  stack,
});

/** Undefined where the module has no default export. */
function exportedBy(module: unknown): unknown {
  if (!isObject(module)) return undefined;
  return "default" in module ? module.default : "setup" in module ? { ...module } : undefined;
}

/** For one that a program brings, alone or as `{ use, with }`. */
export function givenExtension(given: unknown, directory: string): LoadedExtension {
  const isWithSettings = isObject(given) && "use" in given;
  const taken = takeExtension(isWithSettings ? given.use : given);
  const settings = isWithSettings && isObject(given.with) ? (given.with as JsonObject) : {};
  return {
    use: taken.extension?.name ?? "(given)",
    file: null,
    directory,
    settings,
    importMs: 0,
    ...taken,
  };
}

/** Makes its kinds known, so that a configuration may name them. What it says is read once. */
function takeExtension(given: unknown): Usable | Unusable {
  try {
    const why = whatIsWrong(given);
    if (why !== null) return unusable(why);
    const extension: Extension = {
      ...namesOf(given as Extension),
      setup: (to) => (given as Extension).setup(to),
    };
    addKinds(extension);
    return { extension };
  } catch (thrown) {
    return unusable(`it cannot be read: ${errorText(thrown)}`);
  }
}

function namesOf(given: Extension): Omit<Extension, "setup"> {
  const {
    name,
    interface: version,
    about,
    settings,
    secrets,
    providers,
    transports,
    formats,
    needs,
  } = given;
  const said = {
    interface: version,
    about,
    settings,
    secrets,
    providers,
    transports,
    formats,
    needs,
  };
  return { name, ...withoutUndefined(said) };
}

function whatIsWrong(given: unknown): string | null {
  if (given === undefined)
    return "it has no default export. Write 'export default { name, setup }'";
  if (!isObject(given))
    return "it exports no extension. Its default export must be an object with 'name' and 'setup'";
  const {
    name,
    interface: version = 1,
    setup,
    settings,
    secrets = [],
    providers = [],
    transports = [],
    needs = [],
    formats = [],
  } = given;
  if (typeof name !== "string" || !ownKind.test(name))
    return "its 'name' must be of small letters, digits and hyphens";
  if (typeof setup !== "function") return "it has no function 'setup'";
  if (!Number.isInteger(version) || Number(version) < 1)
    return "its 'interface' must be a number such as 1";
  if (Number(version) > extensionInterface)
    return `it was written for interface ${version}, and this version has ${extensionInterface}. Install a newer Toolplane`;
  if (settings !== undefined && !isObject(settings)) return "its 'settings' must be a JSON Schema";
  return (
    wrongKeys(Object.keys(given)) ??
    wrongNames("secrets", secrets, taken) ??
    wrongNames("providers", providers, builtinKinds) ??
    wrongNames("transports", transports, takenSchemes) ??
    wrongParts(needs) ??
    (Array.isArray(formats) && formats.every(isFormat)
      ? null
      : "its 'formats' must be a list of 'name' and 'read'")
  );
}

const known = [
  "name",
  "interface",
  "about",
  "settings",
  "secrets",
  "providers",
  "transports",
  "formats",
  "needs",
  "setup",
] as const satisfies readonly (keyof Extension)[];

/** A misspelled key would be passed over in silence. */
function wrongKeys(keys: readonly string[]): string | null {
  const unknown = keys.find((key) => !(known as readonly string[]).includes(key));
  if (unknown === undefined) return null;
  const near = nearest(unknown, known, 1).map((one) => ` (did you mean '${one}'?)`);
  return `it has '${unknown}', which is unknown; known are ${known.join(", ")}${near.join("")}`;
}

const isFormat = (format: unknown) =>
  isObject(format) && typeof format.name === "string" && typeof format.read === "function";

function wrongNames(key: string, names: unknown, own: ReadonlySet<string>): string | null {
  if (
    !Array.isArray(names) ||
    names.some((name) => typeof name !== "string" || !ownKind.test(name))
  )
    return `its '${key}' must be a list of names of small letters, digits and hyphens`;
  const known = names.find((name) => own.has(name));
  return known === undefined ? null : `'${known}' in its '${key}' is taken. Choose another name`;
}

function wrongParts(needs: unknown): string | null {
  const unknown = Array.isArray(needs)
    ? needs.find((part) => !(planeParts as readonly unknown[]).includes(part))
    : needs;
  return unknown === undefined || (Array.isArray(needs) && needs.length === 0)
    ? null
    : `'${String(unknown)}' in its 'needs' is no part of the plane. Parts are ${planeParts.join(", ")}`;
}

/** Of two with one name the first counts. */
function withoutDoubles(loaded: readonly LoadedExtension[]): LoadedExtension[] {
  const names = new Set<string>();
  return loaded.map((one) => {
    const name = one.extension?.name;
    if (name === undefined || !names.has(name)) {
      if (name !== undefined) names.add(name);
      return one;
    }
    const { use, file, directory, settings, importMs } = one;
    return {
      use,
      file,
      directory,
      settings,
      importMs,
      ...unusable(`another extension is called '${name}'`),
    };
  });
}
