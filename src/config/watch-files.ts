import { readFileSync, statSync } from "node:fs";

const intervalMs = 400;

/**
 * Tells when what the files say was changed, once it has stayed the same for a moment. They are looked at
 * instead of watched: a watch is lost when a directory is replaced, a link is moved or an editor renames.
 */
export function watchFiles(list: () => readonly string[], onChange: () => void): Disposable {
  let applied = signature(list());
  let content = hashFiles(list());
  let last = applied;
  const timer = setInterval(() => {
    const files = list();
    const now = signature(files);
    const isSettled = now === last;
    last = now;
    if (!isSettled || now === applied) return;
    applied = now;
    const before = content;
    content = hashFiles(files);
    if (content !== before) onChange();
  }, intervalMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function signature(files: readonly string[]): string {
  return files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false, bigint: true });
      return found ? `${file} ${found.ino} ${found.size} ${found.mtimeNs}` : `${file} gone`;
    })
    .join("\n");
}

/** What decides whether anything was really edited. A file that cannot be read counts as one that says so. */
function hashFiles(files: readonly string[]): string {
  // Loaded by those who watch only.
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  for (const file of files) hash.update(`${file}\0`).update(contentOf(file));
  return hash.digest("hex");
}

function contentOf(file: string): Buffer | string {
  try {
    // Opening a pipe would wait for a writer.
    return statSync(file).isFile() ? readFileSync(file) : "not a file";
  } catch (thrown) {
    return String((thrown as NodeJS.ErrnoException).code);
  }
}
