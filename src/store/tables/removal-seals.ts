import { type Chained, newestCheckpoints } from "./chained.ts";
import {
  beginsWith,
  type Database,
  insert,
  type Row,
  selectRows,
  type Work,
  where,
} from "./database.ts";

type Checkpoint = { sequence: number; hash: string };

/** Under the names of secrets, because a store of every version has them, and an export takes them along. */
const prefixOf = ({ checkpoints }: Chained<never>) => `removal/${checkpoints}/`;

/**
 * The ends of removals that a plane with the key of the store has made itself, by their stream. Who has the database and not
 * the key can write a checkpoint, and no seal.
 */
export function* sealedRemovals(
  { sealer }: Pick<Database, "sealer">,
  chained: Chained<never>,
): Work<Map<number, Checkpoint>> {
  const ends = new Map<number, Checkpoint>();
  if (sealer === null) return ends;
  const prefix = prefixOf(chained);
  const { sql, values } = where([beginsWith("key"), prefix]);
  for (const { key, value } of yield* selectRows(
    asSecret,
    `SELECT key, value FROM secrets ${sql}`,
    values,
  )) {
    const text = sealer.open(key, value);
    if (text !== null) ends.set(Number(key.slice(prefix.length)), JSON.parse(text) as Checkpoint);
  }
  return ends;
}

/**
 * Does this work, which removes records, and seals the checkpoints that it made. A seal is the checkpoint, encrypted with the
 * key of the store. What follows an unsealed checkpoint is not sealed: that one may be forged.
 */
export function* sealRemoval(
  database: Pick<Database, "sealer">,
  chained: Chained<never>,
  removal: Work<number>,
): Work<number> {
  const { sealer } = database;
  if (sealer === null) return yield* removal;
  const checkpointsBefore = yield* newestCheckpoints(chained);
  const removed = yield* removal;
  if (removed === 0) return 0;
  const sealed = yield* sealedRemovals(database, chained);
  // Versions before seals have left checkpoints, which the first seals take as they are.
  const isFirstSealing = sealed.size === 0;
  for (const [stream, checkpoint] of yield* newestCheckpoints(chained)) {
    const previous = checkpointsBefore.get(stream);
    if (previous?.sequence === checkpoint.sequence) continue;
    const continuesSeal = previous !== undefined && isSame(sealed.get(stream), previous);
    if (previous !== undefined && !isFirstSealing && !continuesSeal) continue;
    const key = `${prefixOf(chained)}${stream}`;
    const value = Buffer.from(sealer.seal(key, JSON.stringify(checkpoint)));
    yield* insert(
      "secrets",
      { key, value },
      "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    );
  }
  return removed;
}

export function isSame(seal: Checkpoint | undefined, checkpoint: Checkpoint): boolean {
  return seal?.sequence === checkpoint.sequence && seal.hash === checkpoint.hash;
}

function asSecret({ key, value }: Row) {
  return { key: String(key), value: Buffer.from(value as Uint8Array).toString("utf8") };
}
