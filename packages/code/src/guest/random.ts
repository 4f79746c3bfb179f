/** Random numbers of the run, so that a program that is run again takes the same way. */
export function createRandom() {
  let [a, b, c, d] = [1, 2, 3, 4];

  function next(): number {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  function hex(part: number): string {
    return (part >>> 0).toString(16).padStart(8, "0");
  }

  function randomUUID(): string {
    const parts = [next(), (next() & 0xffff0fff) | 0x4000, (next() & 0x3fffffff) | 0x80000000];
    const text = [...parts, next()].map(hex).join("");
    const ends = [0, 8, 12, 16, 20];
    return ends.map((start, index) => text.slice(start, ends[index + 1])).join("-");
  }

  return {
    random: () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992,
    randomUUID,
    seed(seeds: readonly [number, number, number, number]): void {
      [a, b, c, d] = seeds;
      for (let round = 0; round < 12; round++) next();
    },
  };
}
