import { closeSync, copyFileSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileErrorText } from "../../lib/files.ts";
import { countOf } from "../../lib/text/wording.ts";
import { PlaneError } from "../../model/errors.ts";

/** https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
const headerBytes = 32;
const frameHeaderBytes = 24;
/** The last bit says in which byte order checksums are made. */
const magic = 0x377f0682;
const saltsAt = 16;
/** A process that writes is given this time to complete its last frame. */
const writeMs = 50;

type Checksum = [number, number];
type LogVerdict = { salts: string; accepted: number; lost: number };

/** Was the file left with commits in its log? A process that closes it leaves none. */
export function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * SQLite reads its log up to the first damaged frame and drops the rest without a word. What it will drop is said and kept
 * here, before the file is opened.
 */
export async function reportDamagedLog(file: string): Promise<void> {
  const path = `${file}-wal`;
  const verdict = judgeLog(path);
  if (verdict === null || verdict.lost === 0) return;
  // Another process may be about to write that frame.
  await pause(writeMs);
  const secondVerdict = judgeLog(path);
  if (
    secondVerdict === null ||
    secondVerdict.salts !== verdict.salts ||
    secondVerdict.accepted !== verdict.accepted ||
    secondVerdict.lost === 0
  )
    return;
  const copyPath = `${path}.damaged`;
  keepCopy(path, copyPath);
  process.emitWarning(
    `${path} is damaged: ${countOf(secondVerdict.lost, "page")} of the last commits cannot be read, and SQLite drops them. Calls that were answered may be missing in the record. A copy is kept as ${copyPath}.`,
  );
}

/** SQLite drops what is damaged when it opens the file, so without a copy it is not opened. */
function keepCopy(path: string, copy: string): void {
  try {
    copyFileSync(path, copy);
  } catch (thrown) {
    rmSync(copy, { force: true });
    const text = `${path} is damaged, and no copy of it can be kept: ${fileErrorText(thrown)}. Make room for it, then start again.`;
    throw new PlaneError("STORE_FAILED", text, { cause: thrown });
  }
}

/** How many frames SQLite accepts, and how many that were written with them it drops; null without a log. */
export function judgeLog(path: string): LogVerdict | null {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= headerBytes) return null;
  const file = openSync(path, "r");
  try {
    return judgeFrames(
      (buffer, position) => buffer.subarray(0, readSync(file, buffer, 0, buffer.length, position)),
      size,
    );
  } finally {
    closeSync(file);
  }
}

function judgeFrames(read: (buffer: Buffer, position: number) => Buffer, size: number): LogVerdict {
  const header = read(Buffer.alloc(headerBytes), 0);
  const isLittle = (header.readUInt32BE(0) & 1) === 0;
  const pageBytes = header.readUInt32BE(8) || 1;
  const frameBytes = frameHeaderBytes + (pageBytes === 1 ? 65_536 : pageBytes);
  const count = Math.ceil((size - headerBytes) / frameBytes);
  let checksums = checksum([0, 0], header, 0, 24, isLittle);
  const salts = header.toString("hex", saltsAt, saltsAt + 8);
  if ((header.readUInt32BE(0) & ~1) >>> 0 !== magic || !isSum(header, 24, checksums))
    return { salts, accepted: 0, lost: count };
  const buffer = Buffer.alloc(frameBytes);
  /** Frames up to the last that ends a commit, up to the last in an unbroken row, and up to the last of this log. */
  let accepted = 0;
  let intact = 0;
  let present = 0;
  for (let frameIndex = 0; frameIndex < count; frameIndex += 1) {
    const isNext = intact === frameIndex;
    const frame = read(
      isNext ? buffer : buffer.subarray(0, frameHeaderBytes),
      headerBytes + frameIndex * frameBytes,
    );
    // Other salts are left over from before the log was begun again.
    if (frame.length < 16 ? !isNext : frame.toString("hex", 8, 16) !== salts) continue;
    // A write that was cut off, by a full disk or a kill, was no commit. Where it was one, the noted heads tell.
    if (isNext && frame.length < frameBytes) continue;
    present = frameIndex + 1;
    if (!isNext) continue;
    checksums = checksum(
      checksum(checksums, frame, 0, 8, isLittle),
      frame,
      frameHeaderBytes,
      frameBytes,
      isLittle,
    );
    if (!isSum(frame, 16, checksums)) continue;
    intact = frameIndex + 1;
    if (frame.readUInt32BE(4) > 0) accepted = frameIndex + 1;
  }
  // A commit that was never completed is no loss.
  return { salts, accepted, lost: present > intact ? present - accepted : 0 };
}

function isSum(buffer: Buffer, offset: number, [first, second]: Checksum): boolean {
  return buffer.readUInt32BE(offset) === first && buffer.readUInt32BE(offset + 4) === second;
}

/** Fibonacci-weighted sums over pairs of words. */
function checksum(
  [first, second]: Checksum,
  buffer: Buffer,
  from: number,
  to: number,
  isLittle: boolean,
): Checksum {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  for (let offset = from; offset < to; offset += 8) {
    first = (first + view.getUint32(offset, isLittle) + second) >>> 0;
    second = (second + view.getUint32(offset + 4, isLittle) + first) >>> 0;
  }
  return [first, second];
}
