import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { builtInKinds } from "../../model/calls/provider-kinds.ts";
import type { ExtensionUse } from "../../model/config/config.ts";
import {
  type Extension,
  extensionInterface,
  planeParts,
} from "../../model/extensions/extension.ts";
import { isObject, type JsonObject, objectOrEmpty } from "../../model/json.ts";
import { transportByScheme } from "../../model/servers/transports.ts";
import { takenSecrets } from "../secrets/references.ts";
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

const kindName = /^[a-z][a-z0-9-]*$/;
/** Of ours, or of other products that have them in their files. */
const takenSchemes: ReadonlySet<string> = new Set([...transportByScheme.keys(), "file"]);

/** Imports them in order, once a process: changed code is in force after the next start. Never rejects. */
export async function loadExtensions(
  uses: readonly NamedExtension[],
  fileOf: (index: number) => string,
): Promise<LoadedExtension[]> {
  const loaded: LoadedExtension[] = [];
  for (const [index, extensionUse] of uses.entries()) {
    const directory = dirname(fileOf(index));
    const { use } = extensionUse;
    if ("wrong" in extensionUse) {
      const facts = { use, directory, file: null, settings: {}, importMs: 0 };
      loaded.push({ ...facts, ...unusable(extensionUse.wrong), isMisspelled: true });
    } else loaded.push(await loadExtension(use, extensionUse.with as JsonObject, directory));
  }
  return withoutDoubles(loaded);
}

async function loadExtension(
  use: string,
  settings: JsonObject,
  directory: string,
): Promise<LoadedExtension> {
  const facts = { use, directory, settings };
  const location = findModule(use, directory);
  if (!("file" in location)) {
    const why = `${location.why}. ${location.remedy}`;
    return { ...facts, file: null, importMs: 0, ...unusable(why) };
  }
  const { file } = location;
  const startedAt = performance.now();
  try {
    const module: unknown = await import(pathToFileURL(file).href);
    const importMs = performance.now() - startedAt;
    return { ...facts, file, importMs, ...takeExtension(exportedBy(module)) };
  } catch (thrown) {
    const importMs = performance.now() - startedAt;
    const { why, stack } = await (await import("./why-not-imported.ts")).whyNotImported(
      thrown,
      file,
      directory,
    );
    return { ...facts, file, importMs, ...unusable(why, stack) };
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
  if ("default" in module) return module.default;
  return "setup" in module ? { ...module } : undefined;
}

/** For one that a program brings, alone or as `{ use, with }`. */
export function givenExtension(extension: unknown, directory: string): LoadedExtension {
  const isWithSettings = isObject(extension) && "use" in extension;
  const usable = takeExtension(isWithSettings ? extension.use : extension);
  const settings = isWithSettings ? (objectOrEmpty(extension.with) as JsonObject) : {};
  return {
    use: usable.extension?.name ?? "(given)",
    file: null,
    directory,
    settings,
    importMs: 0,
    ...usable,
  };
}

/** Makes its kinds known, so that a configuration may name them. What it says is read once. */
function takeExtension(exported: unknown): Usable | Unusable {
  try {
    const why = whatIsWrong(exported);
    if (why !== null) return unusable(why);
    const extension: Extension = {
      ...namesOf(exported as Extension),
      setup: (to) => (exported as Extension).setup(to),
    };
    addKinds(extension);
    return { extension };
  } catch (thrown) {
    return unusable(`it cannot be read: ${errorText(thrown)}`);
  }
}

function namesOf(extension: Extension): Omit<Extension, "setup"> {
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
  } = extension;
  const fields = {
    interface: version,
    about,
    settings,
    secrets,
    providers,
    transports,
    formats,
    needs,
  };
  return { name, ...withoutUndefined(fields) };
}

function whatIsWrong(exported: unknown): string | null {
  if (exported === undefined)
    return "it has no default export. Write 'export default { name, setup }'";
  if (!isObject(exported))
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
  } = exported;
  if (typeof name !== "string" || !kindName.test(name))
    return "its 'name' must be of small letters, digits and hyphens";
  if (typeof setup !== "function") return "it has no function 'setup'";
  if (!Number.isInteger(version) || Number(version) < 1)
    return "its 'interface' must be a number such as 1";
  if (Number(version) > extensionInterface)
    return `it was written for interface ${version}, and this version has ${extensionInterface}. Install a newer Toolplane`;
  if (settings !== undefined && !isObject(settings)) return "its 'settings' must be a JSON Schema";
  return (
    wrongKeys(Object.keys(exported)) ??
    wrongNames("secrets", secrets, takenSecrets) ??
    wrongNames("providers", providers, builtInKinds) ??
    wrongNames("transports", transports, takenSchemes) ??
    wrongParts(needs) ??
    wrongFormats(formats)
  );
}

const knownKeys = [
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
  const unknown = keys.find((key) => !(knownKeys as readonly string[]).includes(key));
  if (unknown === undefined) return null;
  const near = nearest(unknown, knownKeys, 1).map((name) => ` (did you mean '${name}'?)`);
  return `it has '${unknown}', which is unknown; known are ${knownKeys.join(", ")}${near.join("")}`;
}

function wrongFormats(formats: unknown): string | null {
  if (Array.isArray(formats) && formats.every(isFormat)) return null;
  return "its 'formats' must be a list of 'name' and 'read'";
}

const isFormat = (format: unknown) =>
  isObject(format) && typeof format.name === "string" && typeof format.read === "function";

function wrongNames(
  key: string,
  names: unknown,
  takenNames: Pick<ReadonlySet<string>, "has">,
): string | null {
  if (
    !Array.isArray(names) ||
    names.some((name) => typeof name !== "string" || !kindName.test(name))
  )
    return `its '${key}' must be a list of names of small letters, digits and hyphens`;
  const takenName = names.find((name) => takenNames.has(name));
  if (takenName === undefined) return null;
  return `'${takenName}' in its '${key}' is taken. Choose another name`;
}

function wrongParts(needs: unknown): string | null {
  const unknown = Array.isArray(needs)
    ? needs.find((part) => !(planeParts as readonly unknown[]).includes(part))
    : needs;
  if (unknown === undefined || (Array.isArray(needs) && needs.length === 0)) return null;
  return `'${String(unknown)}' in its 'needs' is no part of the plane. Parts are ${planeParts.join(", ")}`;
}

/** Of two with one name the first counts. */
function withoutDoubles(loaded: readonly LoadedExtension[]): LoadedExtension[] {
  const names = new Set<string>();
  return loaded.map((extension) => {
    const name = extension.extension?.name;
    if (name === undefined || !names.has(name)) {
      if (name !== undefined) names.add(name);
      return extension;
    }
    const { use, file, directory, settings, importMs } = extension;
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
