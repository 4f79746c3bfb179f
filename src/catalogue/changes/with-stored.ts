import type { EntryKind } from "../../model/change.ts";
import type { FromFile, Manifests } from "../../model/manifests.ts";
import type { WrittenEntry } from "./entries-in-files.ts";

/** What manifest files say about work, with what people set in its place. Tools are merged where they are published. */
export function withStored(fromFiles: Manifests, stored: readonly WrittenEntry[]): Manifests {
  const merge = <T extends WrittenEntry["manifest"]>(kind: EntryKind, list: FromFile<T>[]): FromFile<T>[] => {
    const set = stored.filter((entry) => entry.kind === kind);
    const isSet = ({ name, persona }: T) =>
      set.some(({ manifest }) => manifest.name === name && manifest.persona === persona);
    const added = set.map(({ manifest, source }) => ({ ...(manifest as T), file: "", source }));
    return set.length === 0 ? list : [...list.filter((one) => !isSet(one)), ...added];
  };
  return {
    tools: fromFiles.tools,
    skills: merge("skill", fromFiles.skills),
    tasks: merge("task", fromFiles.tasks),
    jobs: merge("job", fromFiles.jobs),
  };
}
