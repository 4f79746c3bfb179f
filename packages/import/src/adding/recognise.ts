import { existsSync } from "node:fs";
import { delimiter, extname, isAbsolute, join, relative, resolve } from "node:path";
import {
  type Environment,
  expandEnvironment,
  type SetupPlace,
  splitCommand,
} from "../../../../src/config/editing.ts";
import { homeDirectory, isFile } from "../../../../src/lib/files.ts";
import { configured, type Egress } from "../../../../src/lib/net/egress.ts";
import { readRegularText } from "../../../../src/lib/regular-file.ts";
import type {
  AddedKind,
  AddedOne,
  AddOptions,
  Trial,
} from "../../../../src/model/config/adding.ts";
import { PlaneError } from "../../../../src/model/errors.ts";
import { foreign } from "../../../../src/model/foreign.ts";
import { isObject, type JsonObject } from "../../../../src/model/json.ts";
import { type McpBundle, readBundleFile, readMcpBundle } from "./bundle.ts";
import { bundlePlace, fetchNamedBundle, fetchOwnBundle } from "./fetch-bundle.ts";
import { fetchFile } from "./fetch-file.ts";
import type { EntryInput, InputValues } from "./inputs.ts";
import { nameFromPackage, nameFromUrl, plainName } from "./names.ts";
import { parseFetchedDocument, readOpenApi } from "./open-api.ts";
import type { createRegistries } from "./registries.ts";
import { refuseSecretReferences, type Way, waysOf } from "./server-json.ts";
import {
  entriesOfData,
  entriesOfJson,
  entryOfClientCommand,
  entryOfCommand,
  type WrittenServer,
} from "./words.ts";

/** One server, before a person has said what only they know. */
export type Recognised = {
  kind: AddedKind;
  name: string;
  inputs: EntryInput[];
  build(values: InputValues, environment: Environment): JsonObject;
  /** A stranger wrote it: variables of this machine are sent to its host only after a question. */
  isForeign: boolean;
  /** Before it is tried. */
  prepare?(entry: JsonObject): Promise<void> | void;
  notes: string[];
  ways?: AddedOne["ways"];
  /** Where finding out was the trial. */
  trial?: Trial;
};

export type RecogniseOptions = Pick<AddOptions, "via" | "headers"> & {
  place: SetupPlace;
  registries: ReturnType<typeof createRegistries>;
  egress: Egress;
  tryUrl(entry: JsonObject): Promise<Trial>;
};

/** What a person has in the clipboard: words as a shell split them, or one text. */
export async function recognise(
  what: readonly string[],
  options: RecogniseOptions,
): Promise<Recognised[]> {
  const { place } = options;
  const [only = "", ...others] = what.map((word) => word.trim());
  if (others.length === 0 && /^[{"]/.test(only)) return entriesOfJson(only, place).map(asPasted);
  const words = others.length > 0 || isFileHere(place, only) ? what : splitLine(only);
  const [first = "", ...rest] = words[0] === "$" ? words.slice(1) : words;
  if (first === "") throw new PlaneError("USAGE", `Say what to add. ${examples}`);
  const pasted = entryOfClientCommand([first, ...rest], place);
  if (pasted) return [asPasted(pasted)];
  return rest.length > 0
    ? [asCommand(entryOfCommand([first, ...rest]))]
    : recogniseWord(first, options);
}

const examples =
  "As in: npx -y PACKAGE, a package, docker:IMAGE, a URL, an OpenAPI or .mcpb file, io.github.owner/server, or the JSON of mcpServers.";
const registryName = /^([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+\/[A-Za-z0-9._-]+)(?:@([^@/\s]+))?$/;
const packageName = /^(@[a-z0-9-~][\w.~-]*\/)?[a-z0-9-~][\w.~-]*(@[\w.^~-]+)?$/;

async function recogniseWord(word: string, options: RecogniseOptions): Promise<Recognised[]> {
  const { place } = options;
  const [, image] = /^(?:docker|podman|oci):(?:\/\/)?(\S+)$/.exec(word) ?? [];
  if (image !== undefined) return [asContainer(image)];
  if (/^(https?|wss?):\/\//i.test(word)) return [await recogniseUrl(parseUrl(word), options)];
  if (/^localhost(:\d+)?(\/|$)/.test(word))
    return [await recogniseUrl(parseUrl(`http://${word}`), options)];
  if (isFileHere(place, word)) return recogniseFile(word, place);
  if (/^(\.{1,2}|~)?[\\/]/.test(word)) throw noFile(word);
  const [, name, version = "latest"] = registryName.exec(word) ?? [];
  if (name !== undefined) return [await recogniseRegistered(name, version, options)];
  if (!word.startsWith("@") && inPath(word, place.environment))
    return [asCommand(entryOfCommand([word]))];
  if (/\.(mcpb|dxt|json|ya?ml|[mc]?[jt]s|py)$/i.test(word)) throw noFile(word);
  if (packageName.test(word)) return [asCommand(entryOfCommand(["npx", "-y", word]))];
  throw new PlaneError("USAGE", `'${word}' is nothing that can be added. ${examples}`);
}

function noFile(word: string): PlaneError {
  return new PlaneError("USAGE", `There is no file ${word}. Check the path.`);
}

function splitLine(text: string): string[] {
  // A line that goes on behind a backslash is one line.
  const words = splitCommand(text.replaceAll(/\\\r?\n\s*/g, " "));
  if (words === null) throw new PlaneError("USAGE", "A quote is not closed.");
  return words;
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new PlaneError("USAGE", `'${text}' is not a valid URL.`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw new PlaneError(
      "USAGE",
      "A URL with a user and a password would be written in clear. Give it without them, and the credentials with --header.",
    );
  return url;
}

function pathOf({ directory }: SetupPlace, word: string): string {
  return resolve(
    directory,
    word.replace(/^~(?=[\\/]|$)/, () => homeDirectory() ?? "~"),
  );
}

function isFileHere(place: SetupPlace, word: string): boolean {
  return word !== "" && word.length < 4_096 && isFile(pathOf(place, word));
}

function inPath(word: string, environment: Environment): boolean {
  if (/[\\/]/.test(word)) return false;
  const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  const directories = (environment.PATH ?? "").split(delimiter).filter((one) => one !== "");
  return directories.some((one) => endings.some((ending) => existsSync(join(one, word + ending))));
}

const fixed = (entry: JsonObject) => ({
  inputs: [],
  build: () => entry,
  notes: [],
  isForeign: false,
});

function asCommand(server: WrittenServer): Recognised {
  return { ...asPasted(server), kind: "command" };
}

/** Copied from somewhere, by a person who may not have read it to its end. */
function asPasted({ name, entry }: WrittenServer): Recognised {
  const remedy = "To refer to it, add the server without it, and then use: toolplane servers edit";
  refuseSecretReferences(foreign(entry), `The entry '${name ?? "server"}'`, remedy);
  return { kind: "pasted", name: name ?? "server", ...fixed(entry), isForeign: true };
}

const closedNetwork = (name: string) =>
  `It has no network. Give it one with: toolplane servers edit ${name} container.network=bridge`;

function asContainer(image: string): Recognised {
  const name = nameFromPackage(image);
  return {
    kind: "container",
    name,
    ...fixed({ container: { image } }),
    notes: [closedNetwork(name)],
  };
}

const scripts: Readonly<Record<string, string>> = {
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
  ".ts": "node",
  ".mts": "node",
  ".py": "python3",
};

function recogniseFile(word: string, place: SetupPlace): Recognised[] {
  const file = pathOf(place, word);
  const ending = extname(file).toLowerCase();
  if (ending === ".mcpb" || ending === ".dxt")
    return [asBundle(readMcpBundle(readBundleFile(file), word, bundlePlace(place)))];
  const program = scripts[ending];
  // A path that holds wherever the entry is written.
  const inside = relative(place.directory, file);
  const path =
    inside.startsWith("..") || isAbsolute(inside) ? file : `./${inside.replaceAll("\\", "/")}`;
  if (program !== undefined) return [asCommand(entryOfCommand([program, path]))];
  if (![".json", ".jsonc", ".yaml", ".yml"].includes(ending))
    return [asCommand(entryOfCommand([path]))];
  const data = parseFetchedDocument(readRegularText(file), word);
  const api = readOpenApi(foreign(data), null);
  if (api !== null) return [asOpenApi(api, path)];
  const servers = entriesOfData(data, place);
  if (servers.length > 0) return servers.map(asPasted);
  throw new PlaneError(
    "USAGE",
    `${word} is neither an OpenAPI document nor does it name MCP servers.`,
  );
}

function asBundle(bundle: McpBundle): Recognised {
  const { name, inputs, build, unpack } = bundle;
  return { kind: "bundle", name, inputs, build, prepare: unpack, notes: [], isForeign: true };
}

function asOpenApi(api: NonNullable<ReturnType<typeof readOpenApi>>, document: string): Recognised {
  const { title, operations, needsBaseUrl } = api;
  const description = "The address of the API; the document does not name one.";
  const input: EntryInput = {
    key: "baseUrl",
    description,
    isRequired: needsBaseUrl,
    isSecret: false,
  };
  return {
    kind: "openapi",
    name: nameFromPackage(plainName(title)),
    inputs: needsBaseUrl ? [input] : [],
    build: ({ baseUrl }) => ({
      openapi: document,
      ...(typeof baseUrl === "string" ? { baseUrl } : {}),
    }),
    notes: api.notes,
    isForeign: false,
    trial: { tools: operations, needsSignIn: false, problem: null },
  };
}

const maxDocumentBytes = 32 * 1024 * 1024;

/** A document by its content, a server by its handshake. */
async function recogniseUrl(url: URL, options: RecogniseOptions): Promise<Recognised> {
  const entry: JsonObject = {
    url: url.href,
    ...(options.headers ? { headers: { ...options.headers } } : {}),
  };
  if (/\.(mcpb|dxt)$/i.test(url.pathname))
    return asBundle(await fetchOwnBundle(url, options.egress, options.place));
  const isDocument = /\.(json|ya?ml)$/i.test(url.pathname);
  if (isDocument) {
    const api = await fetchOpenApi(url, options);
    if (api !== null) return asOpenApi(api, url.href);
  }
  const trial = await options.tryUrl(entry);
  const server = { kind: "url" as const, name: nameFromUrl(url), ...fixed(entry), trial };
  if (trial.problem === null || trial.needsSignIn || isDocument || !/^http/.test(url.protocol))
    return server;
  const api = await fetchOpenApi(url, options).catch(() => null);
  return api === null ? server : asOpenApi(api, url.href);
}

async function fetchOpenApi(url: URL, { headers: ownHeaders = {}, egress }: RecogniseOptions) {
  const answer = await fetchFile(
    { url, gate: configured },
    {
      redirects: await egress.namedBy(url.href),
      maxBytes: maxDocumentBytes,
      headers: { accept: "application/json, application/yaml, */*" },
      ownHeaders,
    },
  );
  if (answer.status !== 200) return null;
  try {
    return readOpenApi(foreign(parseFetchedDocument(answer.body.toString("utf8"), url.host)), url);
  } catch {
    return null;
  }
}

const runners: Readonly<Record<string, readonly string[]>> = {
  npm: ["npx"],
  pypi: ["uvx"],
  oci: ["docker", "podman"],
  nuget: ["dnx"],
  mcpb: [],
};

async function recogniseRegistered(
  name: string,
  version: string,
  options: RecogniseOptions,
): Promise<Recognised> {
  const { server, problems } = await options.registries.get(name, version);
  const { status, packages, remotes } = server;
  if (status === "deleted")
    throw new PlaneError("USAGE", `'${name}' was taken out of the registry.`);
  for (const part of [...packages, ...remotes])
    refuseSecretReferences(part, `The registry's entry '${name}'`);
  const ways = waysOf(server);
  const way = chooseWay(name, ways, options);
  const own = nameFromPackage(name);
  const bundle = way.bundle
    ? await fetchNamedBundle(way.bundle, options.egress, options.place)
    : null;
  const source = `${server.name}@${server.version}`;
  const build: Recognised["build"] = (values, environment) => ({
    ...(bundle ?? way).build(values, environment),
    source,
  });
  const isClosed = isObject(way.build({}, {}).container);
  return {
    kind: "registry",
    name: own,
    inputs: bundle?.inputs ?? way.inputs,
    build,
    isForeign: true,
    ...(bundle && { prepare: bundle.unpack }),
    ...(way.url && { prepare: (entry) => judgeRemote(entry, options) }),
    notes: [
      ...problems,
      ...(status === "deprecated" ? [`'${name}' is deprecated in the registry.`] : []),
      ...(isClosed && bundle === null ? [closedNetwork(own)] : []),
    ],
    ways: ways.map(({ via, what, unusable = null }) => ({ via, what, unusable })),
  };
}

/** Once it is in the configuration it may be anywhere, so the rules for what strangers name count before. */
export async function judgeRemote(
  { url }: JsonObject,
  { egress, place }: Pick<RecogniseOptions, "egress" | "place">,
) {
  const whole = expandEnvironment(url, place.environment, () => undefined);
  if (typeof whole !== "string" || !URL.canParse(whole)) return;
  await egress.stranger.check(new URL(whole)).catch((thrown: Error) => {
    throw new PlaneError(
      "USAGE",
      `The address of the registry's entry is refused: ${thrown.message}.`,
    );
  });
}

/** The one that was asked for; else the first package that can be started here, then what is reached by a URL. */
function chooseWay(name: string, ways: readonly Way[], { via, place }: RecogniseOptions): Way {
  const usable = ways.filter(({ unusable }) => unusable === undefined);
  const chosen = via === undefined ? usable : usable.filter((one) => one.via === via);
  const canStart = (one: Way) => {
    const needed = runners[one.via];
    return (
      needed !== undefined &&
      (needed.length === 0 || needed.some((program) => inPath(program, place.environment)))
    );
  };
  const way = chosen.find(canStart) ?? chosen.find((one) => one.via === "remote") ?? chosen[0];
  if (way) return way;
  const offered = ways.map((one) => `${one.via} (${one.unusable ?? one.what})`).join(", ");
  const asked = via === undefined ? "" : ` by '${via}'`;
  throw new PlaneError(
    "USAGE",
    `'${name}' cannot be started or reached from here${asked}. It offers: ${offered || "nothing"}.`,
  );
}
