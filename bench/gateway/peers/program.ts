import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { packForTests } from "../../../scripts/pack-for-tests.ts";

const run = promisify(execFile);

/** A build of Toolplane, as users have it. */
export type Program = { name: string; bin: string };

/**
 * Without a place, the present sources are packed and installed. A place is an archive of `npm pack`, a directory with
 * a built package or an installation in it, or the file of the program itself; `NAME=PLACE` gives it a name.
 */
export async function loadProgram(given?: string): Promise<Program> {
  if (given === undefined)
    return readPackage(await install(join(await packForTests(), "toolplane.tgz")), "Toolplane");
  const [, name, path = given] = /^([\w. -]+)=(.+)$/.exec(given) ?? [];
  const place = resolve(path);
  if (place.endsWith(".tgz")) return readPackage(await install(place), name);
  if (statSync(place).isFile()) return { name: name ?? "Toolplane", bin: place };
  const installed = join(place, "node_modules", "toolplane");
  return readPackage(existsSync(installed) ? installed : place, name);
}

function readPackage(directory: string, name?: string): Program {
  const { version, bin } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  return { name: name ?? `Toolplane ${version}`, bin: join(directory, bin.toolplane) };
}

/** Outside of the repository, in a directory that is named after the content, so that the next run finds it. */
async function install(archive: string): Promise<string> {
  const hash = createHash("sha256").update(readFileSync(archive)).digest("hex").slice(0, 16);
  const directory = join(tmpdir(), `toolplane-bench-program-${hash}`);
  if (!existsSync(directory)) {
    const fresh = `${directory}-${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    writeFileSync(join(fresh, "package.json"), JSON.stringify({ private: true, type: "module" }));
    await run(
      "npm",
      ["install", "--omit=optional", "--no-audit", "--no-fund", "--silent", archive],
      { cwd: fresh },
    );
    try {
      renameSync(fresh, directory);
    } catch {
      // Another run was quicker.
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return join(directory, "node_modules", "toolplane");
}
