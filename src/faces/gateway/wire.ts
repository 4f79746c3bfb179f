/** Pieces of one text, some of them as the bytes that came over another wire. */
export type Parts = readonly (string | Buffer)[];

/** What goes out to a client. */
export type Wire = string | Parts;

export function wireText(wire: Wire): string {
  return typeof wire === "string" ? wire : wire.join("");
}

export function wireBytes(wire: Wire): number {
  if (typeof wire === "string") return Buffer.byteLength(wire);
  return wire.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}
