export const hashOfNone = 0x811c9dc5 | 0;
/** Of the characters before, and the next one. */
export const hashOn = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193);

/** Numbers the different runs of ASCII characters that it is shown. Nothing is made for one that is known: no text, no key. */
export function createRunTable() {
  let places = new Int32Array(2_048).fill(-1);
  let hashes = new Int32Array(1_024);
  let starts = new Uint32Array(1_025);
  let characters = new Uint8Array(8_192);
  let size = 0;

  const placeOf = (hash: number) => (hash ^ (hash >>> 15)) & (places.length - 1);
  const isAt = (run: number, text: string, from: number, end: number): boolean => {
    let place = starts[run] as number;
    if ((starts[run + 1] as number) - place !== end - from) return false;
    for (let at = from; at < end; at++, place++)
      if (characters[place] !== text.charCodeAt(at)) return false;
    return true;
  };
  const put = (run: number) => {
    let at = placeOf(hashes[run] as number);
    while (places[at] !== -1) at = (at + 1) & (places.length - 1);
    places[at] = run;
  };
  const makeRoom = (more: number) => {
    const end = (starts[size] as number) + more;
    if (end > characters.length) characters = grown(new Uint8Array(end * 2), characters);
    if (size < hashes.length) return;
    hashes = grown(new Int32Array(size * 2), hashes);
    starts = grown(new Uint32Array(size * 2 + 1), starts);
    places = new Int32Array(size * 4).fill(-1);
    for (let run = 0; run < size; run++) put(run);
  };
  return {
    size: () => size,
    /** -1 for one that is not known. */
    find(text: string, from: number, end: number, hash: number): number {
      for (let at = placeOf(hash); places[at] !== -1; at = (at + 1) & (places.length - 1)) {
        const run = places[at] as number;
        if (hashes[run] === hash && isAt(run, text, from, end)) return run;
      }
      return -1;
    },
    /** One that is not known yet. */
    add(text: string, from: number, end: number, hash: number): number {
      makeRoom(end - from);
      const start = starts[size] as number;
      for (let at = from; at < end; at++) characters[start + at - from] = text.charCodeAt(at);
      hashes[size] = hash;
      size += 1;
      starts[size] = start + end - from;
      put(size - 1);
      return size - 1;
    },
  };
}

function grown<T extends Uint8Array | Int32Array | Uint32Array>(larger: T, before: T): T {
  larger.set(before);
  return larger;
}
