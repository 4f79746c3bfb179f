import type { ConfigValues } from "../model/config.ts";
import type { Path } from "../model/path.ts";

type Warn = (path: Path, message: string, hint: string) => void;

/** What is understood and has no effect yet is said, so that nobody relies on it. */
export function warnAboutWhatIsMissing({ store }: ConfigValues, warn: Warn): void {
  if (store !== "sqlite")
    warn(["store"], "only sqlite is supported yet", "Remove it; the state is kept in the data directory.");
}
