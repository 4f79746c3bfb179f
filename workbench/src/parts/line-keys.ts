/** More lines than a tree has. */
const maxLines = 2 ** 32;

/**
 * Keys for the measured heights of lines: their place, until something is opened or closed before them. A path would do as
 * well, but all keys are asked for at once, and a hundred thousand paths are not made in one frame.
 */
export function createLineKeys() {
  let generation = 0;
  let cuts: { after: number; generation: number }[] = [];
  return {
    /** Lines behind `index` are others from now on. */
    changedBehind(index: number): void {
      generation += 1;
      cuts = [
        ...cuts.filter(({ after }) => after < index),
        { after: index, generation: generation },
      ];
    },
    keyOf: (index: number): number =>
      (cuts.findLast(({ after }) => after < index)?.generation ?? 0) * maxLines + index,
  };
}
