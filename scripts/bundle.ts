import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { findCycle } from "../src/lib/find-cycle.ts";
import { workedOut, workedOutAtBuild } from "./built-tables.ts";
import { fileBehind } from "./core-doors.ts";

const root = join(import.meta.dirname, "..");
const builtinPrefix = "\0builtin:";

/** One bundle in pieces: a command loads the pieces it needs and nothing from node_modules. */
export async function bundle(
  entries: Record<string, string>,
  directory: string,
  groups = pieces,
): Promise<Bundled> {
  const build = await rolldown({
    cwd: root,
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    // Native code cannot be bundled; it is an optional dependency and loaded only for keychain references.
    external: ["@napi-rs/keyring"],
    plugins: [plainBuiltins(), englishOnly(), withoutUnused(), workedOutAtBuild()],
    // What "engines" promises: Node 22 does not know 'using'.
    transform: { target: "node22.13" },
    resolve: {
      mainFields: ["module", "main"],
      // It says what is deprecated to those who write for koa, by code that it makes at run time; this part of it says nothing.
      alias: { depd: join(root, "node_modules/depd/lib/browser/index.js") },
    },
    input: entries,
  });
  const { output } = await build.write({
    dir: directory,
    format: "esm",
    minify: true,
    // Libraries look at the names of their classes: the authorization server knows how long a token lasts by them.
    keepNames: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    ...(groups.length > 0
      ? { codeSplitting: { includeDependenciesRecursively: false, groups } }
      : {}),
  });
  await build.close();
  for (const piece of output)
    if (piece.type === "chunk") writeInAscii(join(directory, piece.fileName), piece.code);
  checkScripts(directory);
  refuseCircles(output.filter((piece) => piece.type === "chunk"));
  return bundledFrom(output.flatMap((piece) => (piece.type === "chunk" ? piece.moduleIds : [])));
}

/** The engine keeps a text with a single letter beyond Latin in twice the memory, and takes longer to read it. */
function writeInAscii(file: string, code: string): void {
  const others = code.match(/[^\0-\x7f]/g)?.length ?? 0;
  // A text that is mostly such letters would only grow.
  if (others === 0 || others > code.length / 20) return;
  // Minified code has them in literals only, where an escape means the same; after a backslash it would not.
  if (/\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f]/.test(code)) return;
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(file, code.replaceAll(/[^\0-\x7f]/g, escaped));
}

/** Has the engine itself parse what was written: a bundler with a wrong native part writes broken files and reports success. */
export function checkScripts(directory: string): void {
  const files = globSync("**/*.js", { cwd: directory });
  if (files.length === 0) throw new Error(`${directory} has no script.`);
  const program = `
    const { SourceTextModule } = require("node:vm");
    const { readFileSync } = require("node:fs");
    for (const file of process.argv.slice(1))
      try { new SourceTextModule(readFileSync(file, "utf8"), { identifier: file }); }
      catch (error) { console.error(file + ": " + error.message); process.exitCode = 1; }`;
  execFileSync(
    process.execPath,
    ["--no-warnings", "--experimental-vm-modules", "-e", program, "--", ...files],
    {
      cwd: directory,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
}

/**
 * Of two pieces that need each other one runs before what it needs is there. The bundler's own piece has only functions,
 * which are there from the first moment.
 */
function refuseCircles(pieces: readonly { fileName: string; imports: readonly string[] }[]): void {
  const own = pieces.filter(({ fileName }) => !fileName.includes("rolldown-runtime"));
  const circle = findCycle(
    own.map(({ fileName, imports }) => ({ id: fileName, dependsOn: imports })),
  );
  if (circle !== null)
    throw new Error(
      `Pieces of the bundle need each other: ${circle.join(" → ")}. Move what they share into a piece of its own.`,
    );
}

/** A library of which some modules are in a bundle; they are named from its folder. */
export type BundledPackage = {
  name: string;
  version: string;
  license: string;
  folder: string;
  modules: string[];
};

/** The files that the bundler read and kept, from the root of the project, and the libraries among them. */
export type Bundled = { inputs: string[]; packages: BundledPackage[] };

export function bundledFrom(moduleIds: readonly string[]): Bundled {
  // Names that begin with a zero byte are made by plugins and are no files.
  const files = moduleIds.filter((id) => !id.startsWith("\0")).map((id) => id.replace(/\?.*$/, ""));
  const byFolder = Map.groupBy(
    files,
    (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? "",
  );
  const packages = [...byFolder]
    .filter(([folder]) => folder !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    inputs: files.map((file) => relative(root, file)).sort(),
    packages: packages.map(([folder, modules]) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, "package.json"), "utf8"),
      );
      if (license === undefined) throw new Error(`${folder} (${name}) names no licence`);
      return {
        name,
        version,
        license,
        folder,
        modules: modules.map((file) => relative(folder, file)).sort(),
      };
    }),
  };
}

/** What is bundled is passed on, and so are its licences. */
export function renderLicenses(packages: readonly BundledPackage[]): string {
  return packages
    .map(({ name, version, license, folder }) => {
      const [file] = globSync("{LICENSE,LICENCE,license,License}*", { cwd: folder });
      const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8");
      return `${name} ${version} (${license})\n\n${text.trim()}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** Every file that is loaded costs as much as a stage of the path, so what belongs together comes in one piece. */
const commandLine = importedAtOnce(["src/faces/cli/program.ts"]);
/** What one call of a stdio server needs; the rest of the plane is loaded when it is used. */
const call = importedAtOnce([
  "src/local-plane.ts",
  "src/local-files.ts",
  "src/config/settings.ts",
  "src/faces/cli/commands/call.ts",
  "src/servers/open-session.ts",
  "src/servers/transports/stdio.ts",
]);
/** What a client that attaches needs, which is next to nothing; what others need of that is a piece of its own. */
const attach = importedAtOnce(["src/local-attach.ts", "src/faces/cli/terminal/terminal.ts"]);
/** What it loads while the server starts. */
const meanwhile = importedAtOnce([
  "src/store/sqlite.ts",
  "src/store/journal.ts",
  "src/store/spool.ts",
  "src/calls/schema-check.ts",
  "src/catalogue/quality/guard.ts",
  "packages/scan/src/scan.ts",
]);
const pieces = [
  { name: "version", test: /src\/lib\/version\.ts$/ },
  { name: "built-ins", test: /builtin:node:(path|os|url|buffer|fs|events|timers\/promises)$/ },
  {
    name: "local",
    test: (id: string) =>
      (attach.has(id) && (commandLine.has(id) || call.has(id))) ||
      /builtin:node:(crypto|async_hooks|util)$/.test(id),
  },
  { name: "attach", test: (id: string) => attach.has(id) || id === `${builtinPrefix}node:net` },
  {
    name: "shared",
    test: (id: string) =>
      (commandLine.has(id) && call.has(id)) || /node_modules\/picocolors\//.test(id),
  },
  {
    name: "command-line",
    test: (id: string) => commandLine.has(id) || /node_modules\/commander\//.test(id),
  },
  {
    name: "call",
    test: (id: string) =>
      call.has(id) ||
      /builtin:node:(child_process|stream\/\w+)$/.test(id) ||
      /node_modules\/(jsonc-parser|semver|zod\/(v4\/)?(core|mini))\/|locales\/(en|english)\.js$/.test(
        id,
      ),
  },
  {
    name: "meanwhile",
    // What it calls while it is loaded must not be in a piece that needs it: whichever comes first would lack the other.
    test: (id: string) =>
      meanwhile.has(id) ||
      id === `${builtinPrefix}node:sqlite` ||
      /node_modules\/ajv-formats\//.test(id),
  },
];

/** Files of ours that are loaded together with these: imported by them, or by what they import, and not only on demand. */
export function importedAtOnce(entries: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    if (workedOut.includes(file)) return;
    const imports = readFileSync(file, "utf8").matchAll(
      /^(?:import|export)\b(?!\s+type\b)[^"';]*?\bfrom\s*"(\.[^"]+|@toolplane\/core\/[^"]+|#bundled\/[^"]+)"/gm,
    );
    for (const [, name = ""] of imports) {
      const behind = fileBehind(name);
      visit(behind === null ? join(dirname(file), name) : join(root, "src", behind));
    }
  };
  for (const entry of entries) visit(join(root, entry));
  return found;
}

/**
 * Importing a built-in module makes Node touch everything it exports, and with it load what was not asked for:
 * `node:fs` alone takes longer than our own code for a short command. Asking for the module does not.
 */
function plainBuiltins(): Plugin {
  return {
    name: "plain-builtins",
    resolveId(id, importer = "") {
      return id.startsWith("node:") && !importer.includes("node_modules")
        ? `${builtinPrefix}${id}`
        : null;
    },
    load(id) {
      if (!id.startsWith(builtinPrefix)) return null;
      const name = id.slice(builtinPrefix.length);
      const descriptors = Object.entries(
        Object.getOwnPropertyDescriptors(process.getBuiltinModule(name) ?? {}),
      );
      const names = descriptors.filter(
        ([key, { value }]) => value !== undefined && /^[A-Za-z]\w*$/.test(key) && key !== "default",
      );
      const lines = names.map(
        ([key]) => `export const ${key} = /* @__PURE__ */ (() => builtin.${key})();`,
      );
      return `const builtin = process.getBuiltinModule(${JSON.stringify(name)});\nexport default builtin;\n${lines.join("\n")}`;
    },
  };
}

/** zod speaks fifty languages, and all of zod brings them all. Ours speaks English. */
function englishOnly(): Plugin {
  const name = "\0zod/locales/english.js";
  const english = join(root, "node_modules/zod/v4/locales/en.js");
  return {
    name: "english-only",
    resolveId: (id, importer = "") =>
      importer.includes("node_modules/zod/") && id.endsWith("locales/index.js") ? name : null,
    load: (id) =>
      id === name ? `export { default as en } from ${JSON.stringify(english)};` : null,
  };
}

/** Parts of libraries that come with what is used of them, load much of Node, and are never called. */
const unused = ["prom-client/lib/pushgateway.js"].map((file) => join(root, "node_modules", file));

function withoutUnused(): Plugin {
  return {
    name: "without-unused",
    load: (id) => (unused.includes(id) ? "module.exports = class {};" : null),
  };
}
