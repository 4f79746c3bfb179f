import { crc32, inflateRawSync } from "node:zlib";

export type ZipLimits = { maxEntries: number; maxFileBytes: number; maxBytes: number };

export type ZipFile = { path: string; isExecutable: boolean; read(): Buffer };

export class ZipProblem extends Error {
  override readonly name = "ZipProblem";
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const entrySize = 46;
const endSize = 22;
/** A signature of the archive may follow its end. */
const searchedBytes = 1_048_576;
const symbolicLink = 0o120000;

/** The files of an archive, none of which can leave the directory it is unpacked in. Nothing is inflated before it is read. */
export function readZip(bytes: Buffer, limits: ZipLimits): ZipFile[] {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let entryOffset = bytes.readUInt32LE(end + 16);
  if (count === 0xffff || entryOffset === 0xffffffff)
    throw new ZipProblem("it is in the 64-bit format, which is not read");
  if (count > limits.maxEntries)
    throw new ZipProblem(`it has ${count} files; ${limits.maxEntries} is the limit`);
  let total = 0;
  const files: ZipFile[] = [];
  for (let index = 0; index < count; index++) {
    const entry = readEntry(bytes, entryOffset);
    entryOffset = entry.next;
    if (entry.path.endsWith("/")) continue;
    total += entry.size;
    if (entry.size > limits.maxFileBytes || total > limits.maxBytes)
      throw new ZipProblem(
        `it unpacks to more than ${Math.min(limits.maxFileBytes, limits.maxBytes)} bytes`,
      );
    files.push({
      path: entry.path,
      isExecutable: entry.isExecutable,
      read: () => inflate(bytes, entry),
    });
  }
  return files;
}

function findEnd(bytes: Buffer): number {
  for (
    let offset = bytes.length - endSize;
    offset >= Math.max(0, bytes.length - searchedBytes);
    offset--
  )
    if (bytes.readUInt32LE(offset) === endSignature) return offset;
  throw new ZipProblem("it is not a zip archive");
}

type Entry = ReturnType<typeof readEntry>;

function readEntry(bytes: Buffer, entryOffset: number) {
  if (entryOffset + entrySize > bytes.length || bytes.readUInt32LE(entryOffset) !== entrySignature)
    throw new ZipProblem("its list of files is damaged");
  const lengths = [28, 30, 32].map((offset) => bytes.readUInt16LE(entryOffset + offset));
  const [nameLength = 0] = lengths;
  const path = bytes.toString(
    "utf8",
    entryOffset + entrySize,
    entryOffset + entrySize + nameLength,
  );
  const mode = bytes.readUInt32LE(entryOffset + 38) >>> 16;
  requireInside(path);
  if ((mode & 0o170000) === symbolicLink) throw new ZipProblem(`'${path}' is a symbolic link`);
  if ((bytes.readUInt16LE(entryOffset + 8) & 1) === 1)
    throw new ZipProblem(`'${path}' is encrypted`);
  return {
    path,
    isExecutable: (mode & 0o111) !== 0,
    method: bytes.readUInt16LE(entryOffset + 10),
    checksum: bytes.readUInt32LE(entryOffset + 16),
    packed: bytes.readUInt32LE(entryOffset + 20),
    size: bytes.readUInt32LE(entryOffset + 24),
    start: bytes.readUInt32LE(entryOffset + 42),
    next: entryOffset + entrySize + lengths.reduce((sum, length) => sum + length, 0),
  };
}

/** Also as Windows reads it. */
function requireInside(path: string): void {
  const parts = path.split("/");
  const isWrong =
    path === "" || /[\\:\0]/.test(path) || path.startsWith("/") || parts.includes("..");
  if (isWrong) throw new ZipProblem(`'${path}' leads out of the archive`);
}

function inflate(bytes: Buffer, { path, start, packed, size, method, checksum }: Entry): Buffer {
  const damaged = (why: string) => new ZipProblem(`'${path}' is damaged: ${why}`);
  if (start + 30 > bytes.length || bytes.readUInt32LE(start) !== localSignature)
    throw damaged("it is not where it should be");
  const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
  const packedBytes = bytes.subarray(from, from + packed);
  const content = unpack(packedBytes, { path, method, size });
  if (content.length !== size || crc32(content) !== checksum)
    throw damaged("its checksum is wrong");
  return content;
}

function unpack(
  packedBytes: Buffer,
  { path, method, size }: Pick<Entry, "path" | "method" | "size">,
): Buffer {
  if (method === 0) return packedBytes;
  if (method !== 8) throw new ZipProblem(`'${path}' is packed in a way that is not read`);
  try {
    return inflateRawSync(packedBytes, { maxOutputLength: Math.max(size, 1) });
  } catch (cause) {
    throw new ZipProblem(`'${path}' is damaged or larger than it says`, { cause });
  }
}
