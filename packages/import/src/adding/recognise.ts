import { existsSync } from "node:fs";
import { delimiter, extname, isAbsolute, join, relative, resolve } from "node:path";
import {
  documentFormats,
  type Environment,
  expandEnvironment,
  type SetupPlace,
  splitCommand,
} from "@toolplane/core/config/editing";
import { homeDirectory, isFile } from "@toolplane/core/lib/files";
import { configured, type Egress } from "@toolplane/core/lib/net/egress";
import { readRegularText } from "@toolplane/core/lib/regular-file";
import type { AddedKind, AddedOne, AddOptions, Trial } from "@toolplane/core/model/config/adding";
import { PlaneError } from "@toolplane/core/model/errors";
import { foreign } from "@toolplane/core/model/foreign";
import { isObject, type JsonObject } from "@toolplane/core/model/json";
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
  const { place: setup } = options;
  const [text = "", ...moreParts] = what.map((part) => part.trim());
  if (moreParts.length === 0 && /^[{"]/.test(text)) return entriesOfJson(text, setup).map(asPasted);
  const argv = moreParts.length > 0 || isFileHere(setup, text) ? what : splitLine(text);
  const [first = "", ...args] = argv[0] === "$" ? argv.slice(1) : argv;
  if (first === "") throw new PlaneError("USAGE", `Say what to add. ${examples}`);
  const clientServer = entryOfClientCommand([first, ...args], setup);
  if (clientServer) return [asPasted(clientServer)];
  if (args.length > 0) return [asCommand(entryOfCommand([first, ...args]))];
  return recogniseWord(first, options);
}

const examples =
  "As in: npx -y PACKAGE, a package, docker:IMAGE, a URL, an OpenAPI or .mcpb file, io.github.owner/server, or the JSON of mcpServers.";
const registryName = /^([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+\/[A-Za-z0-9._-]+)(?:@([^@/\s]+))?$/;
const packageName = /^(@[a-z0-9-~][\w.~-]*\/)?[a-z0-9-~][\w.~-]*(@[\w.^~-]+)?$/;

async function recogniseWord(text: string, options: RecogniseOptions): Promise<Recognised[]> {
  const { place: setup } = options;
  const [, image] = /^(?:docker|podman|oci):(?:\/\/)?(\S+)$/.exec(text) ?? [];
  if (image !== undefined) return [asContainer(image)];
  if (/^(https?|wss?):\/\//i.test(text)) return [await recogniseUrl(parseUrl(text), options)];
  if (/^localhost(:\d+)?(\/|$)/.test(text))
    return [await recogniseUrl(parseUrl(`http://${text}`), options)];
  if (isFileHere(setup, text)) return recogniseFile(text, setup);
  if (/^(\.{1,2}|~)?[\\/]/.test(text)) throw noFile(text);
  const [, name, version = "latest"] = registryName.exec(text) ?? [];
  if (name !== undefined) return [await recogniseRegistered(name, version, options)];
  if (!text.startsWith("@") && inPath(text, setup.environment))
    return [asCommand(entryOfCommand([text]))];
  if (/\.(mcpb|dxt|json|ya?ml|[mc]?[jt]s|py)$/i.test(text)) throw noFile(text);
  if (packageName.test(text)) return [asCommand(entryOfCommand(["npx", "-y", text]))];
  throw new PlaneError("USAGE", `'${text}' is nothing that can be added. ${examples}`);
}

function noFile(path: string): PlaneError {
  return new PlaneError("USAGE", `There is no file ${path}. Check the path.`);
}

function splitLine(text: string): string[] {
  // A line that goes on behind a backslash is one line.
  const argv = splitCommand(text.replaceAll(/\\\r?\n\s*/g, " "));
  if (argv === null) throw new PlaneError("USAGE", "A quote is not closed.");
  return argv;
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

function pathOf({ directory }: SetupPlace, path: string): string {
  return resolve(
    directory,
    path.replace(/^~(?=[\\/]|$)/, () => homeDirectory() ?? "~"),
  );
}

function isFileHere(setup: SetupPlace, path: string): boolean {
  return path !== "" && path.length < 4_096 && isFile(pathOf(setup, path));
}

function inPath(program: string, environment: Environment): boolean {
  if (/[\\/]/.test(program)) return false;
  const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  const directories = (environment.PATH ?? "")
    .split(delimiter)
    .filter((directory) => directory !== "");
  return directories.some((directory) =>
    endings.some((ending) => existsSync(join(directory, program + ending))),
  );
}

const fixedEntry = (entry: JsonObject) => ({
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
  return { kind: "pasted", name: name ?? "server", ...fixedEntry(entry), isForeign: true };
}

const closedNetwork = (name: string) =>
  `It has no network. Give it one with: toolplane servers edit ${name} container.network=bridge`;

function asContainer(image: string): Recognised {
  const name = nameFromPackage(image);
  return {
    kind: "container",
    name,
    ...fixedEntry({ container: { image } }),
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

function recogniseFile(writtenPath: string, setup: SetupPlace): Recognised[] {
  const file = pathOf(setup, writtenPath);
  const ending = extname(file).toLowerCase();
  if (ending === ".mcpb" || ending === ".dxt")
    return [asBundle(readMcpBundle(readBundleFile(file), writtenPath, bundlePlace(setup)))];
  const program = scripts[ending];
  // A path that holds wherever the entry is written.
  const entryPath = pathFrom(setup.directory, file);
  if (program !== undefined) return [asCommand(entryOfCommand([program, entryPath]))];
  if (!documentFormats.has(ending)) return [asCommand(entryOfCommand([entryPath]))];
  const data = parseFetchedDocument(readRegularText(file), writtenPath);
  const api = readOpenApi(foreign(data), null);
  if (api !== null) return [asOpenApi(api, entryPath)];
  const servers = entriesOfData(data, setup);
  if (servers.length > 0) return servers.map(asPasted);
  throw new PlaneError(
    "USAGE",
    `${writtenPath} is neither an OpenAPI document nor does it name MCP servers.`,
  );
}

function pathFrom(directory: string, file: string): string {
  const relativePath = relative(directory, file);
  if (relativePath.startsWith("..") || isAbsolute(relativePath)) return file;
  return `./${relativePath.replaceAll("\\", "/")}`;
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
    build: ({ baseUrl }) => {
      if (typeof baseUrl !== "string") return { openapi: document };
      return { openapi: document, baseUrl };
    },
    notes: api.notes,
    isForeign: false,
    trial: { tools: operations, needsSignIn: false, problem: null },
  };
}

const maxDocumentBytes = 32 * 1024 * 1024;

/** A document by its content, a server by its handshake. */
async function recogniseUrl(url: URL, options: RecogniseOptions): Promise<Recognised> {
  const entry: JsonObject = { url: url.href };
  if (options.headers) entry.headers = { ...options.headers };
  if (/\.(mcpb|dxt)$/i.test(url.pathname))
    return asBundle(await fetchOwnBundle(url, options.egress, options.place));
  const isDocument = /\.(json|ya?ml)$/i.test(url.pathname);
  if (isDocument) {
    const api = await fetchOpenApi(url, options);
    if (api !== null) return asOpenApi(api, url.href);
  }
  const trial = await options.tryUrl(entry);
  const server = { kind: "url" as const, name: nameFromUrl(url), ...fixedEntry(entry), trial };
  if (trial.problem === null || trial.needsSignIn || isDocument || !/^http/.test(url.protocol))
    return server;
  const api = await fetchOpenApi(url, options).catch(() => null);
  if (api === null) return server;
  return asOpenApi(api, url.href);
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
  const serverName = nameFromPackage(name);
  const bundle = way.bundle
    ? await fetchNamedBundle(way.bundle, options.egress, options.place)
    : null;
  const source = `${server.name}@${server.version}`;
  const build: Recognised["build"] = (values, environment) => ({
    ...(bundle ?? way).build(values, environment),
    source,
  });
  const isClosed = isObject(way.build({}, {}).container);
  const notes = [...problems];
  if (status === "deprecated") notes.push(`'${name}' is deprecated in the registry.`);
  if (isClosed && bundle === null) notes.push(closedNetwork(serverName));
  const recognised: Recognised = {
    kind: "registry",
    name: serverName,
    inputs: bundle?.inputs ?? way.inputs,
    build,
    isForeign: true,
    notes,
    ways: ways.map(({ via, what, unusable = null }) => ({ via, what, unusable })),
  };
  if (bundle) recognised.prepare = bundle.unpack;
  if (way.url) recognised.prepare = (entry) => judgeRemote(entry, options);
  return recognised;
}

/** Once it is in the configuration it may be anywhere, so the rules for what strangers name count before. */
export async function judgeRemote(
  { url }: JsonObject,
  { egress, place: setup }: Pick<RecogniseOptions, "egress" | "place">,
) {
  const address = expandEnvironment(url, setup.environment, () => undefined);
  if (typeof address !== "string" || !URL.canParse(address)) return;
  await egress.stranger.check(new URL(address)).catch((thrown: Error) => {
    throw new PlaneError(
      "USAGE",
      `The address of the registry's entry is refused: ${thrown.message}.`,
    );
  });
}

/** The one that was asked for; else the first package that can be started here, then what is reached by a URL. */
function chooseWay(
  name: string,
  ways: readonly Way[],
  { via, place: setup }: RecogniseOptions,
): Way {
  const usable = ways.filter(({ unusable }) => unusable === undefined);
  const candidates = via === undefined ? usable : usable.filter((way) => way.via === via);
  const canStart = (way: Way) => {
    const programs = runners[way.via];
    return (
      programs !== undefined &&
      (programs.length === 0 || programs.some((program) => inPath(program, setup.environment)))
    );
  };
  const way =
    candidates.find(canStart) ??
    candidates.find((candidate) => candidate.via === "remote") ??
    candidates[0];
  if (way) return way;
  const offered = ways.map((offer) => `${offer.via} (${offer.unusable ?? offer.what})`).join(", ");
  const viaNote = via === undefined ? "" : ` by '${via}'`;
  throw new PlaneError(
    "USAGE",
    `'${name}' cannot be started or reached from here${viaNote}. It offers: ${offered || "nothing"}.`,
  );
}
