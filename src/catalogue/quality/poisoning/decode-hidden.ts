/** Letters written as tags. */
export function decodeTags(codes: readonly number[]): string {
  const letters = codes.map((code) => code - 0xe0000).filter((code) => code >= 0x20 && code < 0x7f);
  return String.fromCharCode(...letters);
}

/** Bytes written as variation selectors. */
export function decodeSelectors(codes: readonly number[]): string {
  const bytes = codes.map((code) => (code >= 0xe0100 ? code - 0xe0100 + 16 : code - 0xfe00));
  return readUtf8(bytes);
}

/** Bits written as two kinds of invisible characters, either of which may be the one. */
export function decodeBits(codes: readonly number[]): string {
  const kinds = [...new Set(codes)];
  if (kinds.length < 2) return "";
  const counts = kinds.map((kind) => codes.filter((code) => code === kind).length);
  const [zero, one] = kinds.toSorted((a, b) => (counts[kinds.indexOf(b)] ?? 0) - (counts[kinds.indexOf(a)] ?? 0));
  const bits = codes.filter((code) => code === zero || code === one);
  const asBytes = (isOne: number | undefined) => {
    const bytes: number[] = [];
    for (let at = 0; at + 8 <= bits.length; at += 8) {
      bytes.push(bits.slice(at, at + 8).reduce((byte, bit) => byte * 2 + (bit === isOne ? 1 : 0), 0));
    }
    return readUtf8(bytes);
  };
  return [asBytes(one), asBytes(zero)].find(isReadable) ?? "";
}

function readUtf8(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString("utf8").replaceAll(/\0/g, "");
}

/** Is it a text that somebody wrote? */
export function isReadable(text: string): boolean {
  const letters = [...text].filter((one) => /[\p{L}\p{N}\p{P}\p{Zs}\n]/u.test(one)).length;
  return text.length >= 3 && letters / [...text].length > 0.9;
}
