import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const leastBytes = 1_024;

/** Compressed once here, so that nobody has to while serving. */
function compress(): Plugin {
  let outDir = "";
  return {
    name: "compress",
    apply: "build",
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      for (const file of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
        if (!/\.(js|css|html|svg)$/.test(file)) continue;
        const content = readFileSync(join(outDir, file));
        if (content.byteLength < leastBytes) continue;
        writeFileSync(join(outDir, `${file}.br`), brotliCompressSync(content));
        writeFileSync(join(outDir, `${file}.gz`), gzipSync(content, { level: 9 }));
      }
    },
  };
}

/**
 * The forms' library exports a helper for its own tests, which wants a validator that writes code at run time. The page's
 * policy forbids that, so it is not installed; ours is in `parts/schema-form`.
 */
function withoutValidator(): Plugin {
  const name = "@rjsf/validator-ajv8";
  return {
    name: "without-validator",
    enforce: "pre",
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? "export default {};" : null),
  };
}

/** What nearly every page needs. Forms and their library are for the few that have one. */
const together = [
  { name: "libraries", test: /node_modules[\\/](?:react|react-dom|scheduler|@tanstack)[\\/]/ },
  { name: "icons", test: /node_modules[\\/]lucide-react[\\/]/ },
  { name: "parts", test: /workbench[\\/]src[\\/](?:parts[\\/](?!schema-form)|api[\\/]|app[\\/])/ },
];

export default defineConfig({
  root: import.meta.dirname,
  base: "/workbench/",
  plugins: [withoutValidator(), react(), tailwind(), compress()],
  build: {
    outDir: "../dist/workbench",
    emptyOutDir: true,
    // Everything is a file of its own, as the policy of the page wants it.
    assetsInlineLimit: 0,
    license: { fileName: "third-party-licenses.md" },
    reportCompressedSize: false,
    // A browser asks for six files at a time, and forty of one icon each take longer than all of them in one.
    rolldownOptions: { output: { codeSplitting: { groups: together } } },
  },
  server: { proxy: { "^/(?!workbench)": "http://127.0.0.1:7420" } },
});
