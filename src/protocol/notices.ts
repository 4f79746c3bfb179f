import type { UnknownObject } from "../model/json.ts";

export type Progress = { progress: number; total: number | null; message: string | null };

export function readProgress({ progress, total, message }: UnknownObject): Progress {
  return {
    progress: typeof progress === "number" ? progress : 0,
    total: typeof total === "number" ? total : null,
    message: typeof message === "string" ? message : null,
  };
}

type Listener = {
  onLog?: ((message: UnknownObject) => void) | undefined;
  by?: string | null | undefined;
};

/**
 * What is logged is for whoever made the other side log it: the named cause, or those who wait where they are one
 * person. Where it can be two people's it is for neither. True when it is somebody's.
 */
export function tellLog(message: UnknownObject, cause: Listener | undefined, waiting: Iterable<Listener>): boolean {
  if (cause?.onLog) {
    cause.onLog(message);
    return true;
  }
  const [first, ...others] = [...waiting].filter(({ onLog }) => onLog !== undefined);
  if (first && others.every(({ by }) => by === first.by)) first.onLog?.(message);
  return first !== undefined;
}
