export const emptyHash = 0x811c9dc5 | 0;
/** Of the characters before, and the next one. */
export const extendHash = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193);

/** Numbers the different runs of ASCII characters that it is shown. Nothing is made for one that is known: no text, no key. */
export function createRunTable() {
  let slots = new Int32Array(2_048).fill(-1);
  let hashes = new Int32Array(1_024);
  let starts = new Uint32Array(1_025);
  let characters = new Uint8Array(8_192);
  let size = 0;

  const slotOf = (hash: number) => (hash ^ (hash >>> 15)) & (slots.length - 1);
  const isRunText = (run: number, text: string, from: number, end: number): boolean => {
    let position = starts[run] as number;
    if ((starts[run + 1] as number) - position !== end - from) return false;
    for (let index = from; index < end; index++, position++)
      if (characters[position] !== text.charCodeAt(index)) return false;
    return true;
  };
  const insert = (run: number) => {
    let slot = slotOf(hashes[run] as number);
    while (slots[slot] !== -1) slot = (slot + 1) & (slots.length - 1);
    slots[slot] = run;
  };
  const makeRoom = (addedLength: number) => {
    const end = (starts[size] as number) + addedLength;
    if (end > characters.length) characters = copiedTo(new Uint8Array(end * 2), characters);
    if (size < hashes.length) return;
    hashes = copiedTo(new Int32Array(size * 2), hashes);
    starts = copiedTo(new Uint32Array(size * 2 + 1), starts);
    slots = new Int32Array(size * 4).fill(-1);
    for (let run = 0; run < size; run++) insert(run);
  };
  return {
    size: () => size,
    /** -1 for one that is not known. */
    find(text: string, from: number, end: number, hash: number): number {
      for (let slot = slotOf(hash); slots[slot] !== -1; slot = (slot + 1) & (slots.length - 1)) {
        const run = slots[slot] as number;
        if (hashes[run] === hash && isRunText(run, text, from, end)) return run;
      }
      return -1;
    },
    /** One that is not known yet. */
    add(text: string, from: number, end: number, hash: number): number {
      makeRoom(end - from);
      const start = starts[size] as number;
      for (let index = from; index < end; index++)
        characters[start + index - from] = text.charCodeAt(index);
      hashes[size] = hash;
      size += 1;
      starts[size] = start + end - from;
      insert(size - 1);
      return size - 1;
    },
  };
}

function copiedTo<T extends Uint8Array | Int32Array | Uint32Array>(larger: T, previous: T): T {
  larger.set(previous);
  return larger;
}
