import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes what a release consists of into release/: the package, its bill of materials, and a provenance statement (in-toto, SLSA 1.0)
 * that says from which commit and lock file it was built. `npm publish --provenance` in a CI job signs its own.
 */
const root = join(import.meta.dirname, "..");
const target = join(root, "release");

const run = (command: string, ...words: string[]) =>
  execFileSync(command, words, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
const digestOf = (file: string) => ({
  sha512: createHash("sha512").update(readFileSync(file)).digest("hex"),
});

rmSync(target, { recursive: true, force: true });
mkdirSync(target);
const changes = run("git", "status", "--porcelain");
if (changes !== "")
  throw new Error(`Commit these first; a release is built from a commit:\n${changes}`);
const [packed] = JSON.parse(run("npm", "pack", "--json", "--silent", "--pack-destination", target));
const archive = join(target, String(packed.filename));
copyFileSync(join(root, "dist", "sbom.cdx.json"), `${archive}.sbom.cdx.json`);
const statement = {
  _type: "https://in-toto.io/Statement/v1",
  subject: [{ name: packed.filename, digest: digestOf(archive) }],
  predicateType: "https://slsa.dev/provenance/v1",
  predicate: {
    buildDefinition: {
      buildType: "https://slsa.dev/npm-pack/v1",
      externalParameters: { command: "npm pack" },
      internalParameters: {
        node: process.version,
        platform: `${process.platform}-${process.arch}`,
      },
      resolvedDependencies: [
        { uri: "git+.", digest: { gitCommit: run("git", "rev-parse", "HEAD") } },
        { uri: "package-lock.json", digest: digestOf(join(root, "package-lock.json")) },
      ],
    },
    runDetails: {
      builder: { id: "scripts/release.ts" },
      metadata: { finishedOn: new Date().toISOString() },
    },
  },
};
writeFileSync(`${archive}.provenance.json`, `${JSON.stringify(statement, null, 2)}\n`);
process.stdout.write(`${archive}\n`);
