import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { doors } from "../scripts/core-doors.ts";
import {
  coreFiles as files,
  type Import,
  importsOf,
  isIn,
  rooms as order,
  ownTarget,
  packageFiles as packaged,
  roomOf,
  source,
} from "../scripts/rooms.ts";

const root = join(import.meta.dirname, "..");

/** Rooms that are entered through the file that bears their name. */
const withDoor = [
  "work",
  "agent",
  "extensions",
  "calls",
  "access",
  "catalogue",
  "servers",
  "store",
  "config",
];

/** A face translates and decides nothing: it needs the words of the domain and no room. */
const belowFaces = ["operations", "bundled", "protocol", "model", "lib"];

/** The files that name the packages. */
const namesPackages = ["bundled.ts", "bundled/packages.ts"];
/** Lists of what packages declare, by the names `#bundled/…`; those of a core alone are empty. */
const listsDeclarations = "bundled";
/** Where a package declares its verbs, and what their commands show. Nothing there is loaded to run them elsewhere. */
const declarations = /^\.\.\/packages\/[^/]+\/src\/(?:operations|views)\//;
/** A door for packages alone. What it brings is not loaded with the room. */
const secondDoor = "config/editing.ts";
/** A door for what packages show on the command line. */
const viewDoor = "faces/cli/views.ts";
/** What a package may import of the core beside the doors of rooms. */
const openToPackages = ["model", "lib", "operations", "protocol"];

/** Where a foreign library lives. Those of packages are in their package.json. */
const homes: Record<string, readonly string[]> = {
  zod: ["model", "config", "operations", "faces/http"],
  "ajv-formats": ["calls"],
  "jsonc-parser": ["config"],
  yaml: ["config"],
  "smol-toml": ["config"],
  "@napi-rs/keyring": ["config"],
  "@clack/prompts": ["faces/cli/terminal"],
  commander: ["faces/cli"],
  picocolors: ["faces/cli"],
  hono: ["faces/http"],
  "@hono/node-server": ["faces/http"],
  "prom-client": ["faces/http"],
  "node:sqlite": ["store"],
  ws: ["servers"],
  jose: ["access/identity"],
  oauth4webapi: ["servers/auth", "access/identity"],
  "@ai-sdk/openai-compatible": ["calls/providers"],
  re2js: ["lib"],
  croner: ["lib"],
  semver: ["lib"],
  "gpt-tokenizer": ["catalogue/tokens"],
};

/** Who may know the process it runs in. */
const knowsTheProcess = ["bin.ts", "config", "faces/cli"];
const processWords = /\bprocess\s*\.\s*(env|argv|exit)\b|\bconsole\s*\./;

/** Where files of the package are is known in one place: the bundle moves what looks for them. */
const knowsThePackage = "lib/own-files.ts";
const placeWords = /\bimport\s*\.\s*meta\b|\bcreateRequire\b/;

const wallLines = 400;
/** Files that are still longer: each is to be split by concern. The list only shrinks. */
const aboveWall = [
  "access/identity/verify-token.ts",
  "calls/execute.ts",
  "calls/lookup.ts",
  "calls/record.ts",
  "catalogue/tool-listing.ts",
  "config/descriptions.ts",
  "config/load-config.ts",
  "faces/cli/commands/clients.ts",
  "faces/cli/commands/servers.ts",
  "faces/gateway/answer-call.ts",
  "model/errors.ts",
  "model/store.ts",
  "operations/declared/calls.ts",
  "protocol/peer.ts",
  "servers/server-requests.ts",
  "servers/server.ts",
  "servers/servers.ts",
  "store/store.ts",
];
const wallOfPackage = 8_000;
/** Files beside each other in one folder. */
const maxFiles = 25;
/** It has one file for each noun. */
const flatFolder = "operations/declared";

/** Named as from `src`, like all others. */
const everyFile = [...files, ...packaged];

const faceOf = (file: string) => file.split("/")[1];

/** Null for a file of the core. */
const packageOf = (file: string) => /^\.\.\/packages\/([^/]+)\//.exec(file)?.[1] ?? null;

const all = files.flatMap(importsOf);
const own = all.filter(({ target }) => target.startsWith("."));
const foreign = all.filter(({ target }) => !target.startsWith("."));
const ofPackages = packaged.flatMap(importsOf);

test("the search for imports finds them", () => {
  assert.ok(own.length > 100, `only ${own.length} imports between our own files`);
  assert.ok(foreign.some(({ target }) => target === "zod/mini"));
});

test("every file stands in a room", () => {
  assert.deepEqual(
    files.filter((file) => roomOf(file).startsWith("(none)")),
    [],
  );
});

test("imports point down the list of rooms", () => {
  const wrong = own.filter((found) => {
    const from = roomOf(found.file);
    const target = ownTarget(found);
    // Types that are made of schemas and operations belong to the model.
    if (target.startsWith("../generated/")) return !found.isType;
    // The servers that come with the product are started by its own executable.
    if (target.startsWith("../servers/")) return from !== "local-cli.ts";
    if (packageOf(target) !== null)
      return !(
        namesPackages.includes(found.file) ||
        (from === listsDeclarations && declarations.test(target))
      );
    return order.indexOf(roomOf(target)) < order.indexOf(from);
  });
  assert.deepEqual(wrong, []);
});

test("a room is entered through its door", () => {
  const wrong = own.filter((found) => {
    const target = ownTarget(found);
    const room = roomOf(target);
    // The public API names the adapters themselves, so that its declarations bring no room with them.
    if (found.file === "index.ts" && isIn(target, "agent/adapters")) return false;
    return (
      withDoor.includes(room) && room !== roomOf(found.file) && target !== `${room}/${room}.ts`
    );
  });
  assert.deepEqual(wrong, []);
});

test("no folder has more than 25 files beside each other", () => {
  const counts = new Map<string, number>();
  for (const file of everyFile) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  assert.deepEqual(
    [...counts].filter(([folder, count]) => count > maxFiles && folder !== flatFolder),
    [],
  );
});

test("a face imports no room and no other face", () => {
  const wrong = own.filter((found) => {
    if (roomOf(found.file) !== "faces") return false;
    const target = ownTarget(found);
    const isOwnFace = isIn(target, `faces/${faceOf(found.file)}`);
    return !isOwnFace && !belowFaces.includes(roomOf(target));
  });
  assert.deepEqual(wrong, []);
});

test("every import names a file that exists", () => {
  assert.deepEqual(
    [...own, ...ofPackages].filter(
      (found) => found.target.startsWith(".") && !existsSync(join(source, ownTarget(found))),
    ),
    [],
  );
});

/** What answers hold: one schema for a type, which is inferred from it. */
const isSchema = (file: string) => isIn(file, "model") && file.endsWith("-schema.ts");

test("no file imports itself by way of others", () => {
  // A schema takes lists of names from the file of its noun, which uses the type that is inferred from it.
  const loads = (file: string) =>
    importsOf(file).filter((found) => !(found.isType && isSchema(ownTarget(found))));
  const targets = new Map(everyFile.map((file) => [file, loads(file).map(ownTarget)]));
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file))
      assert.fail(`import cycle: ${[...path.slice(path.indexOf(file)), file].join(" → ")}`);
    if (done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of everyFile) visit(file, []);
});

test("a schema of an answer is loaded by what describes answers, and by no start", () => {
  const mayLoad = (file: string) =>
    isSchema(file) ||
    isIn(file, "operations") ||
    isIn(file, "faces/http") ||
    declarations.test(file);
  const wrong = [...own, ...ofPackages].filter(
    (found) => !found.isType && isSchema(ownTarget(found)) && !mayLoad(found.file),
  );
  assert.deepEqual(wrong, []);
});

test("a foreign library stays in its home", () => {
  const wrong = foreign.filter(({ file, target }) => {
    const name = Object.keys(homes).find(
      (library) => target === library || target.startsWith(`${library}/`),
    );
    if (name === undefined) return !target.startsWith("node:");
    return !homes[name]?.some((home) => isIn(file, home));
  });
  assert.deepEqual(wrong, []);
});

const withoutComments = (file: string) =>
  readFileSync(join(source, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");

test("only the entry, the configuration and the command line know the process", () => {
  const wrong = everyFile.filter(
    (file) =>
      processWords.test(withoutComments(file)) &&
      !knowsTheProcess.some((place) => isIn(file, place)),
  );
  assert.deepEqual(wrong, []);
});

test("one file knows where the package's own files are", () => {
  assert.deepEqual(
    everyFile.filter((file) => placeWords.test(withoutComments(file))),
    [knowsThePackage],
  );
});

test("fields are written out, not grouped to save lines", () => {
  const grouped = everyFile.filter((file) => /^\s*\.\.\.\{ .*\},?$/m.test(withoutComments(file)));
  assert.deepEqual(grouped, []);
});

test("files are small and say what they are", () => {
  const long = everyFile.filter(
    (file) => readFileSync(join(source, file), "utf8").split("\n").length > wallLines,
  );
  assert.deepEqual(long.sort(), aboveWall, `longer than ${wallLines} lines`);
  const vague = everyFile.filter((file) =>
    /(^|\/)(utils?|helpers?|types|index)\.ts$|manager|service/i.test(file),
  );
  assert.deepEqual(
    vague.filter((file) => file !== "index.ts"),
    [],
  );
  assert.deepEqual(
    everyFile.filter((file) => !/^(?:\.\.\/)?[a-z0-9/-]+\.ts$/.test(file)),
    [],
  );
});

type Manifest = { name: string; private: boolean; dependencies?: Record<string, string> };

const packageFolders = globSync("packages/*/package.json", { cwd: root }).map((file) =>
  dirname(file),
);
const nameOf = (folder: string) => folder.slice("packages/".length);
const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
const dependenciesOf = (name: string) => readManifest(`packages/${name}`).dependencies ?? {};
const doorOf = (name: string) => `../packages/${name}/src/${name}.ts`;

test("a package has a door, a page and a name of its own, and is published with the core only", () => {
  assert.ok(packageFolders.length > 0);
  for (const folder of packageFolders) {
    const name = nameOf(folder);
    const manifest = readManifest(folder);
    assert.deepEqual([manifest.name, manifest.private], [`@toolplane/${name}`, true]);
    assert.ok(existsSync(join(source, doorOf(name))), `${folder} has no src/${name}.ts`);
    assert.ok(existsSync(join(root, folder, "README.md")), `${folder} has no README.md`);
  }
});

test("two files name every package, and load it when it is used", () => {
  const named = namesPackages
    .flatMap(importsOf)
    .filter((found) => packageOf(ownTarget(found)) !== null);
  assert.deepEqual(
    named.map(ownTarget).sort(),
    packageFolders.map((folder) => doorOf(nameOf(folder))).sort(),
  );
  for (const file of namesPackages)
    assert.doesNotMatch(withoutComments(file), /\bfrom\s*["'][./]*\/packages\//);
});

test("the core opens its ground and the doors of its rooms to packages, and nothing else", () => {
  const ground = openToPackages.map((room) => [`./${room}/*`, `./${room}/*.ts`]);
  const rooms = withDoor.map((room) => [`./${room}`, `./${room}/${room}.ts`]);
  const others = [secondDoor, viewDoor].map((file) => [
    `./${file.replace(".ts", "")}`,
    `./${file}`,
  ]);
  assert.deepEqual(doors, Object.fromEntries([...ground, ...rooms, ...others]));
  const aside = globSync("packages/*/src/**/*.ts", { cwd: root }).filter((file) =>
    readFileSync(join(root, file), "utf8").includes("../../../"),
  );
  assert.deepEqual(aside, []);
});

test("a package imports the ground of the core, doors of its rooms, and packages that its package.json names", () => {
  const isOpen = (target: string, from: string) =>
    openToPackages.includes(roomOf(target)) ||
    target === secondDoor ||
    (target === viewDoor && declarations.test(from)) ||
    withDoor.some((room) => target === `${room}/${room}.ts`);
  const wrong = ofPackages.filter((found) => {
    if (!found.target.startsWith(".")) return false;
    const target = ownTarget(found);
    const from = packageOf(found.file) ?? "";
    const to = packageOf(target);
    if (to === null) return !isOpen(target, found.file);
    return to !== from && !(`@toolplane/${to}` in dependenciesOf(from) && target === doorOf(to));
  });
  assert.deepEqual(wrong, []);
});

test("a package uses the libraries that its package.json names, and no others", () => {
  const libraries = ofPackages.filter(({ target }) => !target.startsWith("."));
  const nameIn = (target: string) => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target;
  const isOurs = ({ target }: Import) => target.startsWith("node:") && !(target in homes);
  const wrong = libraries.filter(
    (found) =>
      !isOurs(found) && !(nameIn(found.target) in dependenciesOf(packageOf(found.file) ?? "")),
  );
  assert.deepEqual(wrong, []);
  for (const folder of packageFolders)
    for (const library of Object.keys(dependenciesOf(nameOf(folder)))) {
      const isUsed = (found: Import) =>
        packageOf(found.file) === nameOf(folder) && nameIn(found.target) === library;
      assert.ok(
        library.startsWith("@toolplane/") || libraries.some(isUsed),
        `${folder} does not use ${library}`,
      );
      assert.ok(!(library in homes) || library === "zod", `${library} is at home in ${folder}`);
    }
});

test(`no package has more than ${wallOfPackage} lines, with its tests`, () => {
  const linesIn = (folder: string) =>
    globSync("**/*.ts", { cwd: join(root, folder, "src") })
      .map((file) => readFileSync(join(root, folder, "src", file), "utf8").split("\n").length)
      .reduce((sum, lines) => sum + lines, 0);
  assert.deepEqual(
    packageFolders.filter((folder) => linesIn(folder) > wallOfPackage),
    [],
  );
});
