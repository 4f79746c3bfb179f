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

type Sums = [number, number];
type Judged = { salts: string; accepted: number; lost: number };

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
  const judged = judgeLog(path);
  if (judged === null || judged.lost === 0) return;
  // Another process may be about to write that frame.
  await pause(writeMs);
  const again = judgeLog(path);
  if (
    again === null ||
    again.salts !== judged.salts ||
    again.accepted !== judged.accepted ||
    again.lost === 0
  )
    return;
  const kept = `${path}.damaged`;
  keepCopy(path, kept);
  process.emitWarning(
    `${path} is damaged: ${countOf(again.lost, "page")} of the last commits cannot be read, and SQLite drops them. Calls that were answered may be missing in the record. A copy is kept as ${kept}.`,
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
export function judgeLog(path: string): Judged | null {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= headerBytes) return null;
  const file = openSync(path, "r");
  try {
    return judge(
      (buffer, position) => buffer.subarray(0, readSync(file, buffer, 0, buffer.length, position)),
      size,
    );
  } finally {
    closeSync(file);
  }
}

function judge(read: (buffer: Buffer, position: number) => Buffer, size: number): Judged {
  const header = read(Buffer.alloc(headerBytes), 0);
  const isLittle = (header.readUInt32BE(0) & 1) === 0;
  const pageBytes = header.readUInt32BE(8) || 1;
  const frameBytes = frameHeaderBytes + (pageBytes === 1 ? 65_536 : pageBytes);
  const count = Math.ceil((size - headerBytes) / frameBytes);
  let sums = checksum([0, 0], header, 0, 24, isLittle);
  const salts = header.toString("hex", saltsAt, saltsAt + 8);
  if ((header.readUInt32BE(0) & ~1) >>> 0 !== magic || !isSum(header, 24, sums))
    return { salts, accepted: 0, lost: count };
  const buffer = Buffer.alloc(frameBytes);
  /** Frames up to the last that ends a commit, up to the last in an unbroken row, and up to the last of this log. */
  let accepted = 0;
  let whole = 0;
  let seen = 0;
  for (let at = 0; at < count; at += 1) {
    const isNext = whole === at;
    const frame = read(
      isNext ? buffer : buffer.subarray(0, frameHeaderBytes),
      headerBytes + at * frameBytes,
    );
    // Other salts are left over from before the log was begun again.
    if (frame.length < 16 ? !isNext : frame.toString("hex", 8, 16) !== salts) continue;
    // A write that was cut off, by a full disk or a kill, was no commit. Where it was one, the noted heads tell.
    if (isNext && frame.length < frameBytes) continue;
    seen = at + 1;
    if (!isNext) continue;
    sums = checksum(
      checksum(sums, frame, 0, 8, isLittle),
      frame,
      frameHeaderBytes,
      frameBytes,
      isLittle,
    );
    if (!isSum(frame, 16, sums)) continue;
    whole = at + 1;
    if (frame.readUInt32BE(4) > 0) accepted = at + 1;
  }
  // A commit that was never completed is no loss.
  return { salts, accepted, lost: seen > whole ? seen - accepted : 0 };
}

function isSum(buffer: Buffer, at: number, [first, second]: Sums): boolean {
  return buffer.readUInt32BE(at) === first && buffer.readUInt32BE(at + 4) === second;
}

/** Fibonacci-weighted sums over pairs of words. */
function checksum(
  [first, second]: Sums,
  buffer: Buffer,
  from: number,
  to: number,
  isLittle: boolean,
): Sums {
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  for (let at = from; at < to; at += 8) {
    first = (first + view.getUint32(at, isLittle) + second) >>> 0;
    second = (second + view.getUint32(at + 4, isLittle) + first) >>> 0;
  }
  return [first, second];
}
