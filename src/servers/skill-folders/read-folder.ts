import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { loadAndParseData } from "../../config/config.ts";
import { fileErrorText } from "../../lib/files.ts";
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
const deepest = 8;
const maxSkills = 2_000;
/** With more, a folder is not one of skills. */
const maxEntries = 50_000;
const skillFile = "SKILL.md";

/** Digests of files that have not changed since they were read. */
export type KnownDigests = Map<string, { mark: string; digest: string; head: string | null }>;

type Walk = {
  root: string;
  known: KnownDigests;
  seen: KnownDigests;
  skills: FolderSkill[];
  leftOut: LeftOut[];
  entries: number;
};

/** Every directory with a `SKILL.md`. Links are not followed: what they lead to was not given to us. */
export async function readFolder(folder: string, known: KnownDigests): Promise<FolderListing> {
  const root = await realpath(folder);
  const walk: Walk = { root, known, seen: new Map(), skills: [], leftOut: [], entries: 0 };
  await visit(walk, root, [], 0);
  known.clear();
  for (const [path, digest] of walk.seen) known.set(path, digest);
  return { skills: walk.skills, leftOut: walk.leftOut };
}

async function visit(
  walk: Walk,
  directory: string,
  parts: readonly string[],
  depth: number,
): Promise<void> {
  const entries = await listed(walk, directory);
  if (entries.some((entry) => entry.name === skillFile && entry.isFile()))
    // The folder itself may be one skill.
    return take(walk, directory, parts.length === 0 ? [basename(directory)] : parts);
  for (const entry of entries) {
    const inside = [...parts, entry.name];
    if (entry.isSymbolicLink() && depth < deepest)
      leave(
        walk,
        inside,
        "it is a link, which is not followed; write where it leads into 'skills' of a server",
      );
    if (!entry.isDirectory()) continue;
    if (depth >= deepest) leave(walk, inside, `it is more than ${deepest} directories deep`);
    else await visit(walk, join(directory, entry.name), inside, depth + 1);
  }
}

/** In the order of their names, without what is hidden. */
async function listed(walk: Walk, directory: string) {
  const found = (await readdir(directory, { withFileTypes: true })).filter(
    ({ name }) => !name.startsWith("."),
  );
  walk.entries += found.length;
  if (walk.entries > maxEntries)
    throw new Error(`it has more than ${maxEntries} files; name a folder that has skills only`);
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

const leave = ({ leftOut }: Walk, parts: readonly string[], why: string) =>
  void leftOut.push({ uri: addressOf(parts), why });

function addressOf(parts: readonly string[]): string {
  return `skill://${parts.map((part) => encodeURIComponent(part.toWellFormed())).join("/")}`;
}

async function take(walk: Walk, directory: string, parts: readonly string[]): Promise<void> {
  if (walk.skills.length >= maxSkills)
    return leave(walk, parts, `the folder has more than ${maxSkills} skills`);
  try {
    const files = await filesOf(walk, directory, [], []);
    const read = await readFiles(walk, directory, parts, files);
    const skill = readSkill({ ...read.skill });
    if ("wrong" in skill) return leave(walk, parts, skill.wrong);
    walk.skills.push({ ...read, skill });
  } catch (thrown) {
    leave(walk, parts, fileErrorText(thrown));
  }
}

async function filesOf(
  walk: Walk,
  directory: string,
  parts: readonly string[],
  found: string[][],
): Promise<string[][]> {
  for (const entry of await listed(walk, directory)) {
    const inside = [...parts, entry.name];
    const shown = inside.join("/");
    if (entry.isDirectory() && parts.length < deepest)
      await filesOf(walk, join(directory, entry.name), inside, found);
    else if (entry.isFile()) found.push(inside);
    else
      throw new Error(
        `'${shown}' is neither a file nor a directory that can be served; links are not followed`,
      );
    if (found.length > skillLimits.files)
      throw new Error(`it has more than ${skillLimits.files} files`);
  }
  return found;
}

async function readFiles(
  walk: Walk,
  directory: string,
  parts: readonly string[],
  files: readonly string[][],
) {
  const paths = new Map<string, string>();
  const resources: { uri: string; digest: string; size: number }[] = [];
  let room: number = skillLimits.bytes;
  let changedMs = 0;
  let head: string | null = null;
  for (const inside of files) {
    const path = join(directory, ...inside);
    const uri = addressOf([...parts, ...inside]);
    const file = await withFile(walk.root, path, async (handle) => {
      const found = await handle.stat({ bigint: true });
      const size = Number(found.size);
      room -= size;
      if (room < 0)
        throw new Error(`its files are larger than ${skillLimits.bytes / 1024 / 1024} MiB`);
      const mark = `${found.ino} ${size} ${found.mtimeNs} ${found.ctimeNs}`;
      const before = walk.known.get(path);
      const isSkill = inside.length === 1 && inside[0] === skillFile;
      const made =
        before?.mark === mark ? before : { mark, ...digestOf(await handle.readFile(), isSkill) };
      changedMs = Math.max(changedMs, Number(found.mtimeMs));
      return { size, made };
    });
    walk.seen.set(path, file.made);
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
    const found = await handle.stat();
    const isHere = (await realpath(path)) === path && path.startsWith(root);
    if (!found.isFile() || !isHere)
      throw new Error(`'${basename(path)}' is not a file of the folder any more`);
    if (found.size > skillLimits.bytes) throw new Error(`'${basename(path)}' is too large`);
    return await use(handle);
  } finally {
    await handle.close();
  }
}
