import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { loadAndParseData } from "../../config/config.ts";
import { fileErrorText } from "../../lib/files.ts";
import { compareText } from "../../lib/text/wording.ts";
import { type PublishedSkill, readSkill, skillLimits } from "../../model/catalogue/skill-entry.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

/** A skill of a folder: what is published of it, and where its files are. */
export type FolderSkill = {
  skill: PublishedSkill;
  paths: ReadonlyMap<string, string>;
  /** When one of its files was last changed. */
  changedAt: Date;
};

/** What is there and cannot be served. */
export type LeftOut = { uri: string; why: string };

export type FolderListing = { skills: readonly FolderSkill[]; leftOut: readonly LeftOut[] };

/** Below the folder: a skill may stand in directories of its own, and a file in directories of the skill. */
const maxDepth = 8;
const maxSkills = 2_000;
/** With more, a folder is not one of skills. */
const maxEntries = 50_000;
const skillFile = "SKILL.md";

/** Digests of files that have not changed since they were read. */
export type KnownDigests = Map<string, { mark: string; digest: string; head: string | null }>;

type Walk = {
  root: string;
  knownDigests: KnownDigests;
  freshDigests: KnownDigests;
  skills: FolderSkill[];
  leftOut: LeftOut[];
  entries: number;
};

/** Every directory with a `SKILL.md`. Links are not followed: what they lead to was not given to us. */
export async function readFolder(
  folder: string,
  knownDigests: KnownDigests,
): Promise<FolderListing> {
  const root = await realpath(folder);
  const walk: Walk = {
    root,
    knownDigests,
    freshDigests: new Map(),
    skills: [],
    leftOut: [],
    entries: 0,
  };
  await visit(walk, root, [], 0);
  knownDigests.clear();
  for (const [path, digest] of walk.freshDigests) knownDigests.set(path, digest);
  return { skills: walk.skills, leftOut: walk.leftOut };
}

async function visit(
  walk: Walk,
  directory: string,
  parts: readonly string[],
  depth: number,
): Promise<void> {
  const entries = await listDirectory(walk, directory);
  if (entries.some((entry) => entry.name === skillFile && entry.isFile()))
    // The folder itself may be one skill.
    return addSkill(walk, directory, parts.length === 0 ? [basename(directory)] : parts);
  for (const entry of entries) {
    const innerParts = [...parts, entry.name];
    if (entry.isSymbolicLink() && depth < maxDepth)
      leaveOut(
        walk,
        innerParts,
        "it is a link, which is not followed; write where it leads into 'skills' of a server",
      );
    if (!entry.isDirectory()) continue;
    if (depth >= maxDepth)
      leaveOut(walk, innerParts, `it is more than ${maxDepth} directories deep`);
    else await visit(walk, join(directory, entry.name), innerParts, depth + 1);
  }
}

/** In the order of their names, without what is hidden. */
async function listDirectory(walk: Walk, directory: string) {
  const entries = (await readdir(directory, { withFileTypes: true })).filter(
    ({ name }) => !name.startsWith("."),
  );
  walk.entries += entries.length;
  if (walk.entries > maxEntries)
    throw new Error(`it has more than ${maxEntries} files; name a folder that has skills only`);
  return entries.sort((first, second) => compareText(first.name, second.name));
}

const leaveOut = ({ leftOut }: Walk, parts: readonly string[], reason: string) =>
  void leftOut.push({ uri: addressOf(parts), why: reason });

function addressOf(parts: readonly string[]): string {
  return `skill://${parts.map((part) => encodeURIComponent(part.toWellFormed())).join("/")}`;
}

async function addSkill(walk: Walk, directory: string, parts: readonly string[]): Promise<void> {
  if (walk.skills.length >= maxSkills)
    return leaveOut(walk, parts, `the folder has more than ${maxSkills} skills`);
  try {
    const files = await filesOf(walk, directory, [], []);
    const content = await readFiles(walk, directory, parts, files);
    const skill = readSkill({ ...content.skill });
    if ("wrong" in skill) return leaveOut(walk, parts, skill.wrong);
    walk.skills.push({ ...content, skill });
  } catch (thrown) {
    leaveOut(walk, parts, fileErrorText(thrown));
  }
}

async function filesOf(
  walk: Walk,
  directory: string,
  parts: readonly string[],
  files: string[][],
): Promise<string[][]> {
  for (const entry of await listDirectory(walk, directory)) {
    const innerParts = [...parts, entry.name];
    const shown = innerParts.join("/");
    if (entry.isDirectory() && parts.length < maxDepth)
      await filesOf(walk, join(directory, entry.name), innerParts, files);
    else if (entry.isFile()) files.push(innerParts);
    else
      throw new Error(
        `'${shown}' is neither a file nor a directory that can be served; links are not followed`,
      );
    if (files.length > skillLimits.files)
      throw new Error(`it has more than ${skillLimits.files} files`);
  }
  return files;
}

async function readFiles(
  walk: Walk,
  directory: string,
  parts: readonly string[],
  files: readonly string[][],
) {
  const paths = new Map<string, string>();
  const resources: { uri: string; digest: string; size: number }[] = [];
  let remainingBytes: number = skillLimits.bytes;
  let changedMs = 0;
  let head: string | null = null;
  for (const inside of files) {
    const path = join(directory, ...inside);
    const uri = addressOf([...parts, ...inside]);
    const file = await withFile(walk.root, path, async (handle) => {
      const stats = await handle.stat({ bigint: true });
      const size = Number(stats.size);
      remainingBytes -= size;
      if (remainingBytes < 0)
        throw new Error(`its files are larger than ${skillLimits.bytes / 1024 / 1024} MiB`);
      const mark = `${stats.ino} ${size} ${stats.mtimeNs} ${stats.ctimeNs}`;
      const previous = walk.knownDigests.get(path);
      const isSkill = inside.length === 1 && inside[0] === skillFile;
      const fileDigest =
        previous?.mark === mark
          ? previous
          : { mark, ...digestOf(await handle.readFile(), isSkill) };
      changedMs = Math.max(changedMs, Number(stats.mtimeMs));
      return { size, made: fileDigest };
    });
    walk.freshDigests.set(path, file.made);
    if (inside.length === 1 && inside[0] === skillFile) head = file.made.head;
    paths.set(uri, path);
    resources.push({ uri, digest: file.made.digest, size: file.size });
  }
  const uri = addressOf([...parts, skillFile]);
  return {
    skill: { uri, frontmatter: await frontmatterOf(head), resources },
    paths,
    changedAt: new Date(changedMs),
  };
}

function digestOf(bytes: Buffer, isSkill: boolean): { digest: string; head: string | null } {
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  return { digest, head: isSkill ? headOf(bytes.toString("utf8")) : null };
}

/** The text between the two lines of dashes at the beginning. */
function headOf(text: string): string | null {
  const plain = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const end = plain.startsWith("---\n") ? /^---[\t ]*$/m.exec(plain.slice(4)) : null;
  return end && end.index <= skillLimits.frontmatter ? plain.slice(4, 4 + end.index) : null;
}

async function frontmatterOf(head: string | null): Promise<UnknownObject> {
  if (head === null)
    throw new Error(
      `${skillFile} does not begin with name and description between two lines of ---`,
    );
  const parsed = await loadAndParseData(head).catch((thrown: Error) => {
    throw new Error(`the beginning of ${skillFile} cannot be read: ${thrown.message}`);
  });
  // As it arrives at clients, which compare it with the text.
  const frontmatter: unknown = JSON.parse(JSON.stringify(parsed ?? {}));
  if (!isObject(frontmatter) || Object.hasOwn(frontmatter, "__proto__"))
    throw new Error(`the beginning of ${skillFile} is not a list of keys and values`);
  return frontmatter;
}

/** The bytes of a file that is really there: a link that took its place, or that of a directory above it, is refused. */
export function readInside(root: string, path: string): Promise<Buffer> {
  return withFile(root, path, (handle) => handle.readFile());
}

const noLinks = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function withFile<T>(
  root: string,
  path: string,
  use: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(path, noLinks);
  try {
    const stats = await handle.stat();
    const isHere = (await realpath(path)) === path && path.startsWith(root);
    if (!stats.isFile() || !isHere)
      throw new Error(`'${basename(path)}' is not a file of the folder any more`);
    if (stats.size > skillLimits.bytes) throw new Error(`'${basename(path)}' is too large`);
    return await use(handle);
  } finally {
    await handle.close();
  }
}
