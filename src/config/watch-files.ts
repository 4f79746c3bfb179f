import { statSync } from "node:fs";

const intervalMs = 400;

/**
 * Tells when one of the files was changed, once it has stayed the same for a moment. They are looked at
 * instead of watched: a watch is lost when a directory is replaced, a link is moved or an editor renames.
 */
export function watchFiles(files: readonly string[], onChange: () => void): Disposable {
  let applied = signature(files);
  let last = applied;
  const timer = setInterval(() => {
    const now = signature(files);
    const isSettled = now === last;
    last = now;
    if (!isSettled || now === applied) return;
    applied = now;
    onChange();
  }, intervalMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function signature(files: readonly string[]): string {
  return files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false, bigint: true });
      return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : "gone";
    })
    .join("\n");
}
