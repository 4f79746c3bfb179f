/** More lines than a tree has. */
const apart = 2 ** 32;

/**
 * Keys for the measured heights of lines: their place, until something is opened or closed before them. A path would do as
 * well, but all keys are asked for at once, and a hundred thousand paths are not made in one frame.
 */
export function createLineKeys() {
  let made = 0;
  let cuts: { after: number; kind: number }[] = [];
  return {
    /** Lines behind `index` are others from now on. */
    changedBehind(index: number): void {
      made += 1;
      cuts = [...cuts.filter(({ after }) => after < index), { after: index, kind: made }];
    },
    keyOf: (index: number): number =>
      (cuts.findLast(({ after }) => after < index)?.kind ?? 0) * apart + index,
  };
}
