import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "@toolplane/core/config/editing";
import { fileErrorText, homeDirectory } from "@toolplane/core/lib/files";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { readZip, type ZipFile, ZipProblem } from "@toolplane/core/lib/zip";
import { PlaneError } from "@toolplane/core/model/errors";
import {
  asName,
  asOneOf,
  asShown,
  asVariable,
  asWord,
  Foreign,
  fieldOf,
  fieldsOf,
  foreign,
  foreignTextOf,
  isForeignList,
  isForeignObject,
  isSame,
  isTrue,
  itemsOf,
  joined,
  matches,
  type Piece,
  spelled,
  splitAt,
  writeText,
} from "@toolplane/core/model/foreign";
import type { JsonObject } from "@toolplane/core/model/json";
import { withoutEmpty } from "../without-empty.ts";
import { type EntryInput, type InputValues, inputPieces } from "./inputs.ts";
import { plainName } from "./names.ts";
import { refuseSecretReferences } from "./server-json.ts";

export const maxBundleBytes = 512 * 1024 * 1024;
const limits = {
  maxEntries: 50_000,
  maxFileBytes: 256 * 1024 * 1024,
  maxBytes: 1024 * 1024 * 1024,
};

export type McpBundle = {
  name: string;
  inputs: EntryInput[];
  /** Where it is unpacked, or will be. */
  directory: string;
  unpack(): void;
  build(values: InputValues, environment: Environment): JsonObject;
};

type BundleTarget = { dataDirectory: string | undefined; platform: NodeJS.Platform };

export function readBundleFile(file: string): Buffer {
  try {
    if (statSync(file).size > maxBundleBytes)
      throw new PlaneError("USAGE", `${file} is larger than a bundle may be.`);
    return readFileSync(file);
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    throw new PlaneError("USAGE", `${file} cannot be read: ${fileErrorText(thrown)}.`, {
      cause: thrown,
    });
  }
}

/** An `.mcpb` file: a zip archive with a server and a `manifest.json` that says how to start it. */
export function readMcpBundle(
  bytes: Buffer,
  what: string,
  { dataDirectory, platform }: BundleTarget,
): McpBundle {
  const files = refuseBadZip(what, () => readZip(bytes, limits));
  const { name, version, server, config, platforms } = readManifest(files, what);
  for (const part of [server, config]) refuseSecretReferences(part, `The bundle ${what}`);
  if (platforms.length > 0 && !platforms.some((supported) => asOneOf(supported, [platform])))
    throw refusal(
      what,
      `it is made for ${platforms.map(asShown).join(", ")}, and this is ${platform}`,
    );
  if (dataDirectory === undefined)
    throw refusal(what, "there is no data directory to unpack it in");
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const directory = join(dataDirectory, "bundles", `${name}-${version}-${hash}`);
  const settings = settingsOf(config);
  const start = startOf(server, directory, platform, what);
  return {
    name,
    inputs: settings.map(({ input }) => input),
    directory,
    unpack: () => refuseBadZip(what, () => unpackInto(directory, files)),
    build: (values, environment) => {
      const fill = createFill(directory, settings, values, environment);
      const env = start.env.flatMap(([key, written]) => {
        const [filled] = fill(written);
        if (filled === undefined) return [];
        return [[key, filled] as const];
      });
      return {
        command: fill(start.command)[0] ?? "",
        args: start.args.flatMap(fill),
        cwd: writeText([directory]),
        ...withoutEmpty({ env: Object.fromEntries(env) }),
      };
    },
  };
}

function refusal(what: string, why: string): PlaneError {
  return new PlaneError("USAGE", `The bundle ${what} cannot be used: ${why}.`);
}

function refuseBadZip<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ZipProblem || thrown instanceof RangeError)
      throw refusal(what, thrown.message);
    throw thrown;
  }
}

function readManifest(files: readonly ZipFile[], what: string) {
  const file = files.find(({ path }) => path === "manifest.json");
  if (file === undefined) throw refusal(what, "it has no manifest.json");
  const manifest = parseManifest(refuseBadZip(what, () => file.read()).toString("utf8"), what);
  const name = foreignTextOf(fieldOf(manifest, "name"));
  const version = foreignTextOf(fieldOf(manifest, "version"));
  const server = fieldOf(manifest, "server");
  if (name === undefined || version === undefined || !isForeignObject(server))
    throw refusal(what, "its manifest.json does not say 'name', 'version' and 'server'");
  return {
    name: plainName(asWord(name)),
    version: plainName(asWord(version)),
    server,
    config: fieldOf(manifest, "user_config"),
    platforms: itemsOf(fieldOf(fieldOf(manifest, "compatibility"), "platforms")),
  };
}

function parseManifest(text: string, what: string): Foreign {
  try {
    return foreign(JSON.parse(text));
  } catch {
    throw refusal(what, "its manifest.json is not JSON");
  }
}

/**
 * The directory gets its name only when all files are in it, and the name has the hash of the bundle. So one that exists is
 * unpacked already, also when another process has done it in the meantime.
 */
export function unpackInto(directory: string, files: readonly ZipFile[]): void {
  if (existsSync(directory)) return;
  const temporary = `${directory}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    for (const { path, isExecutable, read } of files) {
      const file = join(temporary, path);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, read(), { flag: "wx" });
      if (isExecutable) chmodSync(file, 0o755);
    }
    renameSync(temporary, directory);
  } catch (thrown) {
    rmSync(temporary, { recursive: true, force: true });
    if (existsSync(directory)) return;
    if (thrown instanceof ZipProblem) throw thrown;
    throw new PlaneError(
      "USAGE",
      `The bundle cannot be unpacked into ${directory}: ${fileErrorText(thrown)}.`,
    );
  }
}

type Start = {
  command: Foreign<string>;
  args: Foreign<string>[];
  env: [name: string, value: Foreign<string>][];
};

const insideBundle = (entryPoint: Foreign<string>) => joined("${__dirname}/", entryPoint);
const startWith = (
  command: Foreign<string> | string,
  ...args: (Foreign<string> | string)[]
): Start => ({
  command: joined(command),
  args: args.map((argument) => joined(argument)),
  env: [],
});

const startsByType = {
  node: (entryPoint) => startWith("node", insideBundle(entryPoint)),
  python: (entryPoint) => ({
    ...startWith("python3", insideBundle(entryPoint)),
    env: [["PYTHONPATH", foreign("${__dirname}/server/lib")]],
  }),
  binary: (entryPoint) => startWith(insideBundle(entryPoint)),
  uv: (entryPoint) => startWith("uv", "run", "--directory", "${__dirname}", entryPoint),
} satisfies Record<string, (entryPoint: Foreign<string>) => Start>;

function startOf(
  server: Foreign,
  directory: string,
  platform: NodeJS.Platform,
  what: string,
): Start {
  const type = asOneOf(
    fieldOf(server, "type"),
    Object.keys(startsByType) as (keyof typeof startsByType)[],
  );
  if (type === undefined)
    throw refusal(
      what,
      `its server is of the kind '${asShown(fieldOf(server, "type"))}', which is not known`,
    );
  const config = fieldOf(server, "mcp_config");
  const overrides = fieldOf(fieldOf(config, "platform_overrides"), platform);
  const candidates = (key: string) => [fieldOf(overrides, key), fieldOf(config, key)];
  const entryPoint = foreignTextOf(fieldOf(server, "entry_point"));
  const ownCommand = candidates("command").map(foreignTextOf).find(Boolean);
  if (entryPoint === undefined && ownCommand === undefined)
    throw refusal(what, "its manifest.json does not say what to start");
  const defaultStart = startsByType[type](entryPoint ?? foreign(""));
  const command = ownCommand ?? defaultStart.command;
  return {
    // A path inside the bundle; a bare name is a program of this machine.
    command: matches(command, /^[^$/\\][^\\]*\//) ? joined(`${directory}/`, command) : command,
    args: candidates("args").filter(isForeignList).map(textsOf)[0] ?? defaultStart.args,
    env:
      candidates("env")
        .filter(isForeignObject)
        .map((env) => variablesOf(env, what))[0] ?? defaultStart.env,
  };
}

const textsOf = (list: Foreign): Foreign<string>[] =>
  itemsOf(list).map((text) => spelled(text) ?? foreign(""));

function variablesOf(map: Foreign, what: string): Start["env"] {
  return fieldsOf(map).map(([key, value]) => {
    const name = asName(key, "variable");
    if (name === undefined) throw refusal(what, `'${asShown(key)}' is not a valid variable name`);
    return [name, spelled(value) ?? foreign("")];
  });
}

type Setting = { id: Foreign<string>; input: EntryInput };

function settingsOf(config: Foreign): Setting[] {
  return fieldsOf(config).flatMap(([id, setting]) => {
    if (!isForeignObject(setting)) return [];
    const defaults = fieldOf(setting, "default");
    const fallback = (isForeignList(defaults) ? itemsOf(defaults) : [defaults]).flatMap(
      (text) => spelled(text) ?? [],
    );
    const hasFallback = fallback.length > 0 && fallback.every((text) => foreignTextOf(text));
    const [title, description] = [fieldOf(setting, "title"), fieldOf(setting, "description")].map(
      foreignTextOf,
    );
    const input = {
      key: asVariable(id),
      ...withoutUndefined({
        title: title && asShown(title),
        description: description && asShown(description),
        default: hasFallback ? fallback : undefined,
        type: asOneOf(fieldOf(setting, "type"), ["number", "boolean"]),
      }),
      isRequired: isTrue(fieldOf(setting, "required")),
      isSecret: isTrue(fieldOf(setting, "sensitive")),
      isMany: isTrue(fieldOf(setting, "multiple")),
    };
    return { id, input };
  });
}

/** A word that is only a setting becomes as many words as the setting has values, or none. */
function createFill(
  directory: string,
  settings: readonly Setting[],
  values: InputValues,
  environment: Environment,
): (word: Foreign<string>) => string[] {
  const home = homeDirectory() ?? "/";
  const folders: Readonly<Record<string, string>> = {
    __dirname: directory,
    HOME: home,
    "/": "/",
    pathSeparator: "/",
    DESKTOP: join(home, "Desktop"),
    DOCUMENTS: join(home, "Documents"),
    DOWNLOADS: join(home, "Downloads"),
  };
  const folderOf = (name: Foreign<string>) => folders[asOneOf(name, Object.keys(folders)) ?? ""];
  // What is not known here stays text, so that it refers to nothing.
  const fillFolders = (text: Foreign<string>) =>
    splitAt(text, /\$\{([\w/]+)\}/g).flatMap((part): Piece[] =>
      part instanceof Foreign ? [part] : [folderOf(part.name) ?? joined("${", part.name, "}")],
    );
  const valuesOf = (id: Foreign<string>): Piece[][] => {
    const namedSetting = settings.find((setting) => isSame(joined("user_config.", setting.id), id));
    if (namedSetting === undefined) return [];
    return inputPieces(namedSetting.input, values, environment).map((piece) => {
      if (typeof piece === "string" || piece instanceof Foreign) return fillFolders(joined(piece));
      return [piece];
    });
  };
  return (text) => {
    const parts = splitAt(text, /\$\{(user_config\.[\w-]+)\}/g);
    const [before, setting, after, ...more] = parts;
    const isAlone =
      more.length === 0 &&
      [before, after].every(
        (neighbour) => neighbour instanceof Foreign && isSame(neighbour, foreign("")),
      );
    if (setting !== undefined && !(setting instanceof Foreign) && isAlone)
      return valuesOf(setting.name).map(writeText);
    const pieces = parts.flatMap((part): Piece[] => {
      if (part instanceof Foreign) return fillFolders(part);
      return valuesOf(part.name).flatMap((pieces, index) =>
        index === 0 ? pieces : [",", ...pieces],
      );
    });
    return [writeText(pieces)];
  };
}
