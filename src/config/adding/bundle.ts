import { createHash, randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileErrorText, homeDirectory } from "../../lib/files.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { readZip, type ZipFile, ZipProblem } from "../../lib/zip.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { Environment } from "../environment.ts";
import { type EntryInput, type InputValues, inputValue, variableName } from "./inputs.ts";
import { plainName } from "./names.ts";

export const maxBundleBytes = 512 * 1024 * 1024;
const limits = { maxEntries: 50_000, maxFileBytes: 256 * 1024 * 1024, maxBytes: 1024 * 1024 * 1024 };

export type Bundle = {
  name: string;
  version: string;
  inputs: EntryInput[];
  /** Where it is unpacked, or will be. */
  directory: string;
  unpack(): void;
  build(values: InputValues, environment: Environment): JsonObject;
};

type BundlePlace = { dataDirectory: string | undefined; platform: NodeJS.Platform };

export function readBundleFile(file: string): Buffer {
  try {
    if (statSync(file).size > maxBundleBytes) throw new PlaneError("USAGE", `${file} is larger than a bundle may be.`);
    return readFileSync(file);
  } catch (thrown) {
    if (thrown instanceof PlaneError) throw thrown;
    throw new PlaneError("USAGE", `${file} cannot be read: ${fileErrorText(thrown)}.`, { cause: thrown });
  }
}

/** An `.mcpb` file: a zip archive with a server and a `manifest.json` that says how to start it. */
export function readBundle(bytes: Buffer, what: string, { dataDirectory, platform }: BundlePlace): Bundle {
  const files = guarded(what, () => readZip(bytes, limits));
  const manifest = readManifest(files, what);
  const { name, version, server } = manifest;
  const platforms = isObject(manifest.compatibility) ? manifest.compatibility.platforms : undefined;
  if (Array.isArray(platforms) && platforms.length > 0 && !platforms.includes(platform))
    throw refused(what, `it is made for ${platforms.join(", ")}, and this is ${platform}`);
  if (dataDirectory === undefined) throw refused(what, "there is no data directory to unpack it in");
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const directory = join(dataDirectory, "bundles", `${plainName(name)}-${plainName(version)}-${hash}`);
  const inputs = inputsOf(manifest.user_config);
  const started = startOf(server, directory, platform, what);
  return {
    name,
    version,
    inputs,
    directory,
    unpack: () => guarded(what, () => unpackInto(directory, files)),
    build: (values, environment) => {
      const fill = createFill(directory, inputs, values, environment);
      const env = Object.entries(started.env).flatMap(([key, value]) => {
        const [filled] = fill(value);
        return filled === undefined ? [] : [[key, filled] as const];
      });
      return {
        command: fill(started.command)[0] ?? started.command,
        args: started.args.flatMap(fill),
        cwd: directory,
        ...(env.length > 0 ? { env: Object.fromEntries(env) } : {}),
      };
    },
  };
}

function refused(what: string, why: string): PlaneError {
  return new PlaneError("USAGE", `The bundle ${what} cannot be used: ${why}.`);
}

function guarded<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ZipProblem || thrown instanceof RangeError) throw refused(what, thrown.message);
    throw thrown;
  }
}

type Manifest = UnknownObject & { name: string; version: string; server: UnknownObject };

function readManifest(files: readonly ZipFile[], what: string): Manifest {
  const file = files.find(({ path }) => path === "manifest.json");
  if (file === undefined) throw refused(what, "it has no manifest.json");
  const text = guarded(what, () => file.read()).toString("utf8");
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw refused(what, "its manifest.json is no JSON");
  }
  const { name, version, server } = isObject(manifest) ? manifest : {};
  if (typeof name !== "string" || typeof version !== "string" || !isObject(server))
    throw refused(what, "its manifest.json does not say 'name', 'version' and 'server'");
  return { ...(manifest as UnknownObject), name, version, server };
}

/** Whole or not at all: a directory that is there was complete once. */
function unpackInto(directory: string, files: readonly ZipFile[]): void {
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
    if (thrown instanceof ZipProblem || existsSync(directory)) throw thrown;
    throw new PlaneError("USAGE", `The bundle cannot be unpacked into ${directory}: ${fileErrorText(thrown)}.`);
  }
}

type Start = { command: string; args: string[]; env: Record<string, string> };

const kinds: Readonly<Record<string, (entry: string) => Omit<Start, "env"> & Partial<Start>>> = {
  node: (entry) => ({ command: "node", args: [`\${__dirname}/${entry}`] }),
  python: (entry) => ({
    ...{ command: "python3", args: [`\${__dirname}/${entry}`] },
    env: { PYTHONPATH: `\${__dirname}/server/lib` },
  }),
  binary: (entry) => ({ command: `\${__dirname}/${entry}`, args: [] }),
  uv: (entry) => ({ command: "uv", args: ["run", "--directory", "${__dirname}", entry] }),
};

function startOf(server: UnknownObject, directory: string, platform: NodeJS.Platform, what: string): Start {
  const { type, entry_point: entry, mcp_config: config } = server;
  const usual = typeof type === "string" && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (usual === undefined) throw refused(what, `its server is of the kind '${String(type)}', which is not known`);
  const overrides = isObject(config) && isObject(config.platform_overrides) ? config.platform_overrides[platform] : {};
  const given = { ...(isObject(config) ? config : {}), ...(isObject(overrides) ? overrides : {}) };
  const { command, args, env } = { ...usual(typeof entry === "string" ? entry : ""), ...withoutUndefined(given) };
  if (typeof command !== "string" || (typeof entry !== "string" && given.command === undefined))
    throw refused(what, "its manifest.json does not say what to start");
  return {
    // A path inside the bundle; a bare name is a program of this machine.
    command: /^[^$/\\][^\\]*\//.test(command) ? join(directory, command) : command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: isObject(env) ? Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)])) : {},
  };
}

function inputsOf(given: unknown): EntryInput[] {
  return Object.entries(isObject(given) ? given : {}).flatMap(([id, one]) => {
    if (!isObject(one)) return [];
    const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
    const usual = Array.isArray(one.default) ? one.default.map(String) : one.default;
    const fallback = typeof usual === "number" || typeof usual === "boolean" ? String(usual) : usual;
    return {
      key: variableName(id),
      ...withoutUndefined({ title: text(one.title), description: text(one.description) }),
      ...(fallback === undefined || fallback === null ? {} : { default: fallback as string | string[] }),
      isRequired: one.required === true,
      isSecret: one.sensitive === true,
      isMany: one.multiple === true,
      ...(one.type === "number" || one.type === "boolean" ? { type: one.type as "number" | "boolean" } : {}),
    };
  });
}

/** A word that is only a setting becomes as many words as the setting has values, or none. */
function createFill(directory: string, inputs: readonly EntryInput[], values: InputValues, environment: Environment) {
  const home = homeDirectory() ?? "/";
  const folders: Readonly<Record<string, string>> = {
    ...{ __dirname: directory, HOME: home, "/": "/", pathSeparator: "/" },
    ...{ DESKTOP: join(home, "Desktop"), DOCUMENTS: join(home, "Documents"), DOWNLOADS: join(home, "Downloads") },
  };
  const place = (text: string) =>
    text.replaceAll(/(?<!\$)\$+\{([\w/]+)\}/g, (whole, name: string) => folders[name] ?? whole);
  const settingOf = (id: string) => {
    const input = inputs.find(({ key }) => key === variableName(id));
    return input === undefined
      ? []
      : inputValue(input, values, environment).map((one) => (input.isSecret ? one : place(one)));
  };
  return (text: string): string[] => {
    const [, whole] = /^\$\{user_config\.([\w-]+)\}$/.exec(text) ?? [];
    if (whole !== undefined) return settingOf(whole);
    return [place(text.replaceAll(/\$\{user_config\.([\w-]+)\}/g, (_, id: string) => settingOf(id).join(",")))];
  };
}
