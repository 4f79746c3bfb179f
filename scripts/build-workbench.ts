import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Scanner } from "@tailwindcss/oxide";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { compile } from "tailwindcss";
import { workedOutAtBuild } from "./built-tables.ts";
import {
  type Bundled,
  bundledFrom,
  checkScripts,
  importedAtOnce,
  renderLicenses,
} from "./bundle.ts";
import { oneAtATime } from "./one-at-a-time.ts";

const root = join(import.meta.dirname, "..");
const sources = join(root, "workbench");
const target = join(root, "dist", "workbench");
const cache = join(root, "node_modules", ".cache");
const lock = join(cache, "workbench.lock");
const stamp = join(cache, "workbench.json");
const minCompressedBytes = 1_024;

/** What the frame and the first page import at once comes in one piece; what they load later, with the pages that have it. */
const first = importedAtOnce([
  "workbench/src/main.tsx",
  "workbench/src/pages/overview/overview-page.tsx",
]);
const pages = join(sources, "src", "pages");
const groups = [
  {
    name: "libraries",
    test: /node_modules[\\/](?:react|react-dom|scheduler|@tanstack[\\/](?!(?:react-)?(?:virtual|table))[^\\/]+)[\\/]/,
  },
  { name: "icons", test: /node_modules[\\/]lucide-react[\\/]/ },
  { name: "first", test: (id: string) => first.has(id) && !id.startsWith(pages) },
];

/** Builds the browser app beside the old one and swaps them, so that a serving plane always has one. */
export async function buildWorkbench(): Promise<Bundled> {
  const startedAt = new Date();
  const fresh = `${target}-${process.pid}`;
  try {
    const written = await writeApp(fresh);
    swap(fresh);
    writeLastBuild(written, startedAt);
    return written;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function writeApp(directory: string): Promise<Omit<Build, "sources" | "files">> {
  const fonts = new Map<string, string>();
  const build = await rolldown({
    cwd: sources,
    input: { index: "src/main.tsx" },
    platform: "browser",
    plugins: [withoutValidator(), tailwind(fonts), workedOutAtBuild()],
    transform: { jsx: "react-jsx", define: { "process.env.NODE_ENV": '"production"' } },
    onLog(level, log, print) {
      // "use client" in libraries is for frameworks that render on a server.
      if (log.code !== "MODULE_LEVEL_DIRECTIVE") print(level, log);
    },
  });
  const { output } = await build.write({
    dir: directory,
    format: "esm",
    minify: true,
    entryFileNames: "assets/[name]-[hash].js",
    chunkFileNames: "assets/[name]-[hash].js",
    assetFileNames: "assets/[name]-[hash][extname]",
    codeSplitting: { groups },
  });
  await build.close();
  const chunks = output.filter((piece) => piece.type === "chunk");
  const style = output.find((piece) => piece.type === "asset" && piece.fileName.endsWith(".css"));
  await cp(join(sources, "public"), directory, { recursive: true });
  const template = await readFile(join(sources, "index.html"), "utf8");
  await writeFile(
    join(directory, "index.html"),
    renderPage(template, chunks, style?.fileName ?? "", [...fonts.values()]),
  );
  const moduleIds = [...chunks.flatMap((chunk) => chunk.moduleIds), ...fonts.keys()];
  const bundled = bundledFrom(moduleIds);
  await writeFile(join(directory, "third-party-licenses.txt"), renderLicenses(bundled.packages));
  checkScripts(directory);
  checkReferences(directory);
  await compress(directory);
  // Files of the program that the page uses as well.
  const shared = moduleIds
    .filter((id) => id.startsWith(join(root, "src")))
    .map((id) => relative(root, id));
  return { ...bundled, shared };
}

/** The page asks for all that its first view needs at once. */
function renderPage(
  template: string,
  chunks: readonly OutputChunk[],
  style: string,
  fonts: readonly string[],
): string {
  const entry = chunks.find(({ isEntry }) => isEntry);
  if (entry === undefined || style === "")
    throw new Error("The workbench has no entry or no style sheet.");
  const needed = new Set<string>();
  const visit = (fileName: string): void => {
    if (needed.has(fileName)) return;
    needed.add(fileName);
    chunks.find((chunk) => chunk.fileName === fileName)?.imports.forEach(visit);
  };
  entry.imports.forEach(visit);
  const tags = [
    `<script type="module" src="/workbench/${entry.fileName}"></script>`,
    ...[...needed].map((file) => `<link rel="modulepreload" href="/workbench/${file}" />`),
    `<link rel="stylesheet" href="/workbench/${style}" />`,
    ...fonts
      .filter((file) => firstFonts.test(file))
      .map(
        (file) =>
          `<link rel="preload" as="font" type="font/woff2" crossorigin href="/workbench/${file}" />`,
      ),
  ];
  return template.replace(
    '<script type="module" src="/src/main.tsx"></script>',
    tags.join("\n    "),
  );
}

function checkReferences(directory: string): void {
  const html = readFileSync(join(directory, "index.html"), "utf8");
  const references = [...html.matchAll(/(?:src|href)="\/workbench\/([^"]+)"/g)].map(
    ([, file = ""]) => file,
  );
  const missing = references.filter((file) => !existsSync(join(directory, file)));
  if (references.length < 4 || missing.length > 0)
    throw new Error(
      `index.html refers to files that were not built: ${missing.join(", ") || "none found"}`,
    );
}

/** Compressed once here, so that serving costs nothing. */
async function compress(directory: string): Promise<void> {
  for (const file of globSync("**/*.{js,css,html,svg}", { cwd: directory })) {
    const content = await readFile(join(directory, file));
    if (content.byteLength < minCompressedBytes) continue;
    await writeFile(join(directory, `${file}.br`), brotliCompressSync(content));
    await writeFile(join(directory, `${file}.gz`), gzipSync(content, { level: 9 }));
  }
}

/** Asked for with the page, so that its first text is not set twice; other letters come when they are met. */
const firstFonts = /-latin-wght-normal-/;

/** Compiles the style sheet with the class names that the sources mention. `fonts` gets the files it names, by their source. */
function tailwind(fonts: Map<string, string>): Plugin {
  const require = createRequire(join(sources, "package.json"));
  const loadStylesheet = async (id: string, base: string) => {
    const path = id.startsWith(".") ? join(base, id) : require.resolve(`${id}/index.css`);
    return { path, base: dirname(path), content: await readFile(path, "utf8") };
  };
  return {
    name: "tailwind",
    async load(id) {
      if (!id.endsWith(".css")) return null;
      const compiler = await compile(await readFile(id, "utf8"), {
        base: dirname(id),
        loadStylesheet,
      });
      const scanner = new Scanner({ sources: compiler.sources });
      const css = compiler.build(scanner.scan()).replace(/\/\*[\s\S]*?\*\//g, "");
      if (css.split("{").length !== css.split("}").length)
        throw new Error(`${id}: unbalanced braces`);
      const named = css.replace(/url\("?(@fontsource[^")]+\.woff2)"?\)/g, (_, font: string) => {
        const file = join(root, "node_modules", font);
        const content = readFileSync(file);
        const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
        const fileName = `assets/${basename(file, ".woff2")}-${hash}.woff2`;
        if (!fonts.has(file)) this.emitFile({ type: "asset", fileName, source: content });
        fonts.set(file, fileName);
        return `url("/workbench/${fileName}")`;
      });
      this.emitFile({
        type: "asset",
        name: "index.css",
        source: named.replace(/\s+/g, " ").trim(),
      });
      return { code: "export {};", moduleType: "js", moduleSideEffects: false };
    },
  };
}

/**
 * The forms' library exports a test helper that needs a validator which writes code at run time. The page's content security
 * policy forbids that; ours is in `parts/schema-form`.
 */
function withoutValidator(): Plugin {
  const name = "@rjsf/validator-ajv8";
  return {
    name: "without-validator",
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? "export default {};" : null),
  };
}

/** Another build may do the same at this moment; the last one stays. */
function swap(fresh: string): void {
  const old = `${fresh}-old`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (existsSync(target)) renameSync(target, old);
      renameSync(fresh, target);
      return;
    } catch (thrown) {
      if (attempt === 5) throw thrown;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

let built: Promise<Bundled> | undefined;

/** Builds unless what was built last is still of these sources. Returns what is in it. */
export function buildWorkbenchIfStale(onBuild = () => {}): Promise<Bundled> {
  built ??= oneAtATime(lock, async () => {
    const last = readLastBuild();
    if (last !== null) return last;
    onBuild();
    return buildWorkbench();
  });
  return built;
}

/** What a build was made of and what it wrote, so that another one is saved only where it would write the same. */
type Build = Bundled & { shared: string[]; sources: string; files: string };

function readLastBuild(): Build | null {
  try {
    const build = JSON.parse(readFileSync(stamp, "utf8")) as Build;
    const isSame =
      build.sources === digestOf(root, sourcesOf(build)) &&
      build.files === digestOf(target, filesIn(target));
    return isSame ? build : null;
  } catch {
    return null;
  }
}

function writeLastBuild(build: Omit<Build, "sources" | "files">, startedAt: Date): void {
  const read = sourcesOf(build);
  // What changed during the build may be in it or not.
  if (read.some((file) => statSync(join(root, file)).mtimeMs >= startedAt.getTime())) return;
  mkdirSync(dirname(stamp), { recursive: true });
  const digests = { sources: digestOf(root, read), files: digestOf(target, filesIn(target)) };
  writeFileSync(stamp, JSON.stringify({ ...build, ...digests }));
}

function sourcesOf({ shared }: Pick<Build, "shared">): string[] {
  const own = [
    "workbench/{src,public}/**/*",
    "workbench/*.*",
    "scripts/b*.ts",
    "package-lock.json",
  ];
  // The routes are worked out from the operations, which are not in the bundle themselves.
  own.push("src/{operations,bundled}/**/*.ts", "packages/*/src/operations/*.ts");
  return [...filesIn(root, own), ...shared].sort();
}

function filesIn(directory: string, patterns = ["**/*"]): string[] {
  const found = globSync(patterns, { cwd: directory, withFileTypes: true });
  return found
    .flatMap((entry) =>
      entry.isFile() ? [relative(directory, join(entry.parentPath, entry.name))] : [],
    )
    .sort();
}

function digestOf(directory: string, files: readonly string[]): string {
  const hash = createHash("sha256").update(root);
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(directory, file)));
  return hash.digest("hex");
}

if (import.meta.main) void buildWorkbench();
