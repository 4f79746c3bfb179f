/** Bytes behind the alphabets of base-N codes; null where a run is none of that code. Each is linear, or bounded by `maxDigits`. */

const maxText = 20_000;
/** Codes of one large number are decoded digit by digit, which grows with the square. */
const maxDigits = 400;

const digits = "0123456789";
const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const lower = upper.toLowerCase();

export function fromBase32(run: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let size = 0;
  for (const letter of run.replaceAll("=", "")) {
    bits = ((bits << 5) | `${upper}234567`.indexOf(letter)) & 0xffff;
    size += 5;
    if (size < 8) continue;
    size -= 8;
    bytes.push((bits >> size) & 0xff);
  }
  return Buffer.from(bytes);
}

/** One large number, as bitcoin's base58 has it, or base62 and base36. */
function fromNumber(run: string, alphabet: string): Buffer | null {
  const bytes: number[] = [];
  for (const letter of run.slice(0, maxDigits)) {
    let carry = alphabet.indexOf(letter);
    if (carry < 0) return null;
    for (let index = 0; index < bytes.length; index++) {
      carry += (bytes[index] ?? 0) * alphabet.length;
      bytes[index] = carry & 0xff;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff);
  }
  return Buffer.from(bytes.reverse());
}

const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const largeNumbers = [
  base58,
  digits + upper + lower,
  digits + lower + upper,
  upper + lower + digits,
  digits + lower,
];

export function fromLargeNumbers(run: string): (Buffer | null)[] {
  return largeNumbers.map((alphabet) => fromNumber(run, alphabet));
}

/** Five letters are four bytes. */
function fromBase85(run: string, alphabet: string): Buffer | null {
  const bytes: number[] = [];
  for (let start = 0; start < run.length; start += 5) {
    const group = run.slice(start, start + 5);
    let number = 0;
    for (const letter of group.padEnd(5, alphabet[84])) {
      const digit = alphabet.indexOf(letter);
      if (digit < 0) return null;
      number = number * 85 + digit;
    }
    if (number > 0xffff_ffff) return null;
    bytes.push(
      ...[24, 16, 8, 0].slice(0, group.length - 1).map((shift) => (number >>> shift) & 0xff),
    );
  }
  return Buffer.from(bytes);
}

const ascii85 = String.fromCharCode(...Array.from({ length: 85 }, (_, index) => 33 + index));
const z85 = `${digits}${lower}${upper}.-:+=^!/*?&<>()[]{}@%$#`;
const rfc1924 = `${digits}${upper}${lower}!#$%&()*+-;<=>?@^_\`{|}~`;

/** Adobe's, ZeroMQ's and that of RFC 1924, with or without what is put around them. */
export function fromBases85(run: string): (Buffer | null)[] {
  const inner = run.replace(/^["'(`]*<~/, "").replace(/~>.*/s, "");
  const plain = run.replaceAll(/^["'(`]+|(?<!["')`.,;])["')`.,;]+$/g, "");
  const zeros = inner.replaceAll("z", "!!!!!");
  return [
    fromBase85(zeros, ascii85),
    ...[run, plain].flatMap((text) =>
      [ascii85, z85, rfc1924].map((alphabet) => fromBase85(text, alphabet)),
    ),
  ];
}

/** Three letters are two bytes (RFC 9285). */
export function fromBase45(run: string): Buffer | null {
  const alphabet = `${digits}${upper} $%*+-./:`;
  const bytes: number[] = [];
  for (let start = 0; start + 1 < run.length; start += 3) {
    const group = run.slice(start, start + 3);
    const number = [...group].reduceRight((sum, letter) => sum * 45 + alphabet.indexOf(letter), 0);
    if (number > 0xffff) return null;
    bytes.push(...(group.length === 3 ? [number >> 8, number & 0xff] : [number & 0xff]));
  }
  return Buffer.from(bytes);
}

/** Each line begins with its length. */
export function fromUuencode(run: string): Buffer {
  const bytes = run.split("\n").flatMap((line) => {
    const length = (line.charCodeAt(0) - 32) & 63;
    const values = [...line.slice(1)].map((letter) => (letter.charCodeAt(0) - 32) & 63);
    const decoded: number[] = [];
    for (let start = 0; start + 3 < values.length; start += 4) {
      const [a = 0, b = 0, c = 0, d = 0] = values.slice(start, start + 4);
      decoded.push((a << 2) | (b >> 4), ((b & 15) << 4) | (c >> 2), ((c & 3) << 6) | d);
    }
    return decoded.slice(0, length);
  });
  return Buffer.from(bytes);
}

/** As UTF-8, UTF-16 or, where it is compressed, what it unpacks to. */
export function textOfBytes(bytes: Buffer): string {
  const isPacked =
    (bytes[0] === 0x1f && bytes[1] === 0x8b) ||
    (bytes[0] === 0x78 && ((bytes[1] ?? 0) + 0x7800) % 31 === 0);
  if (isPacked) return unpack(bytes);
  const half = Math.floor(bytes.length / 2);
  const zerosAt = (start: number) => {
    let count = 0;
    for (let index = start; index < bytes.length; index += 2) count += bytes[index] === 0 ? 1 : 0;
    return half > 4 && count > half * 0.8;
  };
  if (zerosAt(1)) return bytes.toString("utf16le");
  if (zerosAt(0))
    return bytes
      .subarray(0, half * 2)
      .swap16()
      .toString("utf16le");
  return bytes.toString("utf8");
}

function unpack(bytes: Buffer): string {
  try {
    // Loaded with the first such text; next to no definition has one.
    return process
      .getBuiltinModule("node:zlib")
      .unzipSync(bytes, { maxOutputLength: maxText })
      .toString("utf8");
  } catch {
    return "";
  }
}
