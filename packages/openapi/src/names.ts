/** `GET /users/{id}/keys` is `get_users_by_id_keys`. */
export function nameFromPath(method: string, path: string): string {
  const segments = path.split("/").map((part) => part.replaceAll(/\{([^{}]*)\}/g, "_by_$1_"));
  return [method, ...segments].join("_");
}

/** Models take no other name, and each only once. */
export function createNames(): (preferredName: string) => string {
  const counts = new Map<string, number>();
  const takenNames = new Set<string>();
  return (preferredName) => {
    const plainName = preferredName
      .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
      .replaceAll(/_{2,}/g, "_")
      .replaceAll(/^_|_$/g, "");
    const name = plainName.slice(0, 60) || "operation";
    // Counted on, so that a thousand equal names are not compared with each other.
    let count = counts.get(name) ?? 0;
    let uniqueName: string;
    do {
      count += 1;
      uniqueName = count === 1 ? name : `${name.slice(0, 58)}_${count}`;
    } while (takenNames.has(uniqueName));
    counts.set(name, count);
    takenNames.add(uniqueName);
    return uniqueName;
  };
}

/** As model providers accept it. */
export function argumentName(name: string): string {
  const plainName = name.replaceAll(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_(?=.)|_$/g, "");
  return plainName.slice(0, 64) || "value";
}
