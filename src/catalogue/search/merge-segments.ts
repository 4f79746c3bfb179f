import { groupByRow, type Segment } from "./segment.ts";

/** One segment of several, without what is gone. `slotOf` says where a tool stands from now on; -1 for nowhere. */
export function mergeSegments(segments: readonly Segment[], slotOf: Int32Array): Segment {
  const rows = new Map<string, number>();
  const most = segments.reduce((sum, { slots }) => sum + slots.length, 0);
  const postings = { rows: new Int32Array(most), slots: new Int32Array(most), worth: new Float32Array(most) };
  let count = 0;
  // Later segments have higher slots, so those of a term stay in order.
  for (const { rows: terms, starts, slots, worth } of segments) {
    for (const [term, row] of terms) {
      const end = starts[row + 1] as number;
      for (let at = starts[row] as number; at < end; at++) {
        const slot = slotOf[slots[at] as number] as number;
        if (slot < 0) continue;
        const place = rows.get(term) ?? rows.size;
        rows.set(term, place);
        postings.rows[count] = place;
        postings.slots[count] = slot;
        postings.worth[count] = worth[at] as number;
        count += 1;
      }
    }
  }
  return { rows, ...groupByRow(rows.size, count, postings) };
}
