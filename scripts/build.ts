import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Plugin, rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const builtinPrefix = "\0builtin:";

/** One bundle in pieces: a command loads the pieces it needs and nothing from node_modules. */
async function bundle(): Promise<string[]> {
  const build = await rolldown({
    cwd: root,
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    // Native code cannot be bundled; it is an optional dependency and loaded only for keychain references.
    external: ["@napi-rs/keyring"],
    plugins: [plainBuiltins()],
    resolve: { mainFields: ["module", "main"] },
    input: { bin: "src/bin.ts", index: "src/index.ts" },
  });
  const { output } = await build.write({
    dir: dist,
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    codeSplitting: { includeDependenciesRecursively: false, groups: pieces },
  });
  await build.close();
  return output.flatMap((piece) => (piece.type === "chunk" ? piece.moduleIds : []));
}

/** Every file that is loaded costs as much as a stage of the path, so what belongs together comes in one piece. */
const pieces = [
  { name: "built-ins", test: /builtin:node:(path|os|buffer|fs|events|timers\/promises)$/ },
  {
    name: "command-line",
    test: /node_modules\/(commander|picocolors)\/|cli\/(run|program|colors|[a-z]+-commands|command-parts|output|signals)\.ts|model\/errors\.ts|lib\/(plain-text|sentence)\.ts/,
  },
  { name: "call", test: isNeededForCall },
];

/** What one call of a stdio server needs before the server is started. */
function isNeededForCall(id: string): boolean {
  if (id.startsWith(builtinPrefix)) return id.endsWith("node:child_process");
  if (!id.startsWith(join(root, "src")))
    return /node_modules\/(jsonc-parser|zod\/(v4\/)?(core|mini))\/|locales\/en\.js$/.test(id);
  return !loadedLater.some((part) => id.includes(part));
}

const loadedLater = [
  ...[
    "src/bin.ts",
    "src/index.ts",
    "src/local-setup.ts",
    "src/plane-doctor.ts",
    "src/store/",
    "lib/version.ts",
    "schema-check.ts",
  ],
  ...[
    "servers/doctor/",
    "transports/http",
    "transports/sse",
    "transports/websocket",
    "transports/opening",
    "transports/start-failure",
    "faces/http/",
    "faces/gateway/",
    "faces/socket/",
  ],
  ...[
    "stored-",
    "oauth",
    "vault",
    "lock",
    "records",
    "sign-in",
    "expiry",
    "auth-required",
    "header-value",
  ].map((part) => `servers/auth/${part}`),
  ...["lib/lock-file.ts", "lib/give-memory-back.ts", "cli/quiet.ts"],
  ...[
    "config/clients/",
    "config/edit/",
    "config/setup.ts",
    "config/config-schema.ts",
    "config/descriptions.ts",
  ],
  ...["text/parse-yaml.ts", "text/yaml-tree.ts"],
  ...[
    "init",
    "doctor",
    "clients",
    "serve",
    "mcp",
    "config",
    "edit-servers",
    "tools",
    "servers",
    "server-verbs",
    "offers",
    "login",
  ].map((verb) => `cli/${verb}.ts`),
];

/**
 * Importing a built-in module makes Node touch everything it exports, and with it load what nobody asked for:
 * `node:fs` alone takes longer than our own code for a short command. Asking for the module does not.
 */
function plainBuiltins(): Plugin {
  return {
    name: "plain-builtins",
    resolveId(id, importer = "") {
      return id.startsWith("node:") && !importer.includes("node_modules") ? `${builtinPrefix}${id}` : null;
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
      const lines = names.map(([key]) => `export const ${key} = /* @__PURE__ */ (() => builtin.${key})();`);
      return `const builtin = process.getBuiltinModule(${JSON.stringify(name)});\nexport default builtin;\n${lines.join("\n")}`;
    },
  };
}

/** What we bundle is passed on, and so are its licences. */
function renderLicenses(moduleIds: readonly string[]): string {
  const folders = new Set(
    moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []),
  );
  return [...folders]
    .sort()
    .map(renderLicense)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function renderLicense(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [file] = globSync("{LICENSE,LICENCE,license,License}*", { cwd: folder });
  const text =
    file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : "";
  if (license === undefined) throw new Error(`${dirname(folder)}/${name} names no licence`);
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

rmSync(dist, { recursive: true, force: true });
const modules = await bundle();
writeFileSync(join(dist, "third-party-licenses.txt"), renderLicenses(modules));
chmodSync(join(dist, "bin.js"), 0o755);
execFileSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
