import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Runs after `npm ci` and removes what nothing here loads: Node's headers for native addons, other module formats of the tokenizer,
 * and source maps of libraries. Together they are a quarter of the installation.
 */
const modules = join(import.meta.dirname, "..", "node_modules");
const unused = [/^node-[a-z0-9-]+\/(include|share)$/, /^gpt-tokenizer\/(cjs|src|data)$/, /\.map$/];

function slim(path) {
  for (const entry of readdirSync(join(modules, path), { withFileTypes: true })) {
    const inside = path === "" ? entry.name : `${path}/${entry.name}`;
    if (unused.some((pattern) => pattern.test(inside))) rmSync(join(modules, inside), { recursive: true, force: true });
    else if (entry.isDirectory()) slim(inside);
  }
}

slim("");
