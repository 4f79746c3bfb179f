import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

const settleMs = 100;

/**
 * Tells when one of the files was changed, once things have settled. Their directories are watched, because
 * editors replace a file instead of writing into it.
 */
export function watchFiles(files: readonly string[], onChange: () => void): Disposable {
  const names = new Map<string, Set<string>>();
  for (const file of files) {
    const inDirectory = names.get(dirname(file)) ?? new Set();
    names.set(dirname(file), inDirectory.add(basename(file)));
  }
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, settleMs);
  };
  const watchers: FSWatcher[] = [];
  for (const [directory, wanted] of names) {
    try {
      const watcher = watch(directory, (_, name) => {
        if (name === null || wanted.has(name)) changed();
      });
      watcher.on("error", () => watcher.close());
      watchers.push(watcher);
    } catch {
      // A directory that went away has nothing left to tell.
    }
  }
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
