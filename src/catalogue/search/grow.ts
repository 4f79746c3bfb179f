/** Twice the room, with what is there already. */
export function growInts(before: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(before.length * 2);
  larger.set(before);
  return larger;
}

export function growFloats(before: Float32Array): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(before.length * 2);
  larger.set(before);
  return larger;
}
