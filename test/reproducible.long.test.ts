import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");

type Built = { directory: string; archive: Buffer };
type Component = {
  type: string;
  name: string;
  version?: string;
  hashes: { content: string }[];
  properties?: { name: string }[];
};

let place: string;
let built: Built[];

/** The files of this checkout, elsewhere: as old as is said, with libraries of their own. */
async function copyTo(directory: string, changedAt: Date): Promise<void> {
  const listed = await run(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    {
      cwd: root,
      maxBuffer: 2 ** 26,
    },
  );
  for (const file of listed.stdout.split("\0").filter(Boolean)) {
    await mkdir(dirname(join(directory, file)), { recursive: true });
    await cp(join(root, file), join(directory, file)).catch(() => {});
    await utimes(join(directory, file), changedAt, changedAt).catch(() => {});
  }
  const libraries = join(directory, "node_modules");
  // Hard links where the disk is the same: the libraries are large.
  await run("cp", ["-al", join(root, "node_modules"), libraries]).catch(() =>
    run("cp", ["-a", join(root, "node_modules"), libraries]),
  );
  await rm(join(libraries, ".cache"), { recursive: true, force: true });
}

async function packIn(directory: string, env: NodeJS.ProcessEnv): Promise<Built> {
  const { stdout } = await run("npm", ["pack", "--json", "--silent"], {
    cwd: directory,
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 26,
  });
  const [{ filename }] = JSON.parse(stdout);
  return { directory, archive: await readFile(join(directory, filename)) };
}

before(async () => {
  place = await mkdtemp(join(tmpdir(), "toolplane-twice-"));
  const one = join(place, "a");
  const other = join(place, "another", "and deeper", "b");
  await copyTo(one, new Date("2020-01-01"));
  await copyTo(other, new Date("2024-06-30"));
  built = [
    await packIn(one, { TZ: "Asia/Tokyo", LANG: "C" }),
    await packIn(other, { TZ: "America/New_York", LANG: "de_DE.UTF-8" }),
  ];
});

after(() => rm(place, { recursive: true, force: true }));

test("a release that is built twice, elsewhere and later, is the same to the byte", async () => {
  const digests = built.map(({ archive }) => createHash("sha512").update(archive).digest("hex"));
  if (digests[0] === digests[1]) return;
  const lists = await Promise.all(built.map(({ directory }) => filesOf(directory)));
  const differing = [...new Set(lists.flatMap((list) => [...list.keys()]))].filter(
    (file) => lists[0]?.get(file) !== lists[1]?.get(file),
  );
  assert.deepEqual(differing, [], "these files differ");
  assert.fail("the files are the same and the archives are not");
});

async function filesOf(directory: string): Promise<Map<string, string>> {
  const { stdout } = await run("sh", ["-c", "find dist -type f -exec sha256sum {} +"], {
    cwd: directory,
    maxBuffer: 2 ** 26,
  });
  return new Map(
    stdout
      .trim()
      .split("\n")
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
}

async function billOf({ directory }: Built): Promise<Component[]> {
  return JSON.parse(await readFile(join(directory, "dist/sbom.cdx.json"), "utf8")).components;
}

test("the bill of materials lists the libraries that the bundler took modules from, and no other", async () => {
  const [one] = built as [Built];
  const inputs: string[] = JSON.parse(
    await readFile(join(one.directory, "node_modules/.cache/bundle-inputs.json"), "utf8"),
  );
  const folders = new Set(
    inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []),
  );
  const taken = await Promise.all(
    [...folders].map(async (folder) => {
      const { name, version } = JSON.parse(
        await readFile(join(one.directory, folder, "package.json"), "utf8"),
      );
      return `${name}@${version}`;
    }),
  );
  const listed = (await billOf(one))
    .filter(({ type }) => type === "library")
    .map(({ name, version }) => `${name}@${version}`);
  assert.ok(listed.length > 50);
  assert.deepEqual(listed.sort(), taken.sort());
});

test("the bill of materials has the data in the archive, with the hash of its bytes, and says where WebAssembly is", async () => {
  const [one] = built as [Built];
  const bill = await billOf(one);
  const { stdout } = await run("sh", ["-c", "tar -tzf *.tgz"], {
    cwd: one.directory,
    maxBuffer: 2 ** 26,
  });
  const packed = stdout
    .split("\n")
    .filter((file) =>
      /^package\/dist\/.*\.(?!js$|ts$|css$|html$|json$|md$|txt$|br$|gz$)\w+$/.test(file),
    );
  const data = bill.filter(({ type }) => type === "data");
  assert.deepEqual(data.map(({ name }) => `package/${name}`).sort(), packed.sort());
  assert.ok(data.some(({ name }) => name === "dist/tool-vectors.bin"));
  for (const { name, hashes } of data) {
    const bytes = await readFile(join(one.directory, name));
    assert.equal(hashes[0]?.content, createHash("sha512").update(bytes).digest("hex"), name);
  }
  const withEngine = bill.filter(({ properties = [] }) =>
    properties.some((one) => one.name === "toolplane:webAssembly"),
  );
  assert.ok(
    withEngine.some(({ name }) => name.includes("quickjs")),
    "the engine of the sandbox",
  );
});
