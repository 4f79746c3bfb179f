import { homedir, userInfo } from "node:os";

/**
 * The directory of the person who runs this; null where there is none. An empty HOME would lead to the working
 * directory, and a user that only a container knows by number makes the system throw.
 */
export function homeDirectory(): string | null {
  try {
    return homedir() || userInfo().homedir || null;
  } catch {
    return null;
  }
}
