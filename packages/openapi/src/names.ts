/** `GET /users/{id}/keys` is `get_users_by_id_keys`. */
export function nameFromPath(method: string, path: string): string {
  const words = path.split("/").map((part) => part.replaceAll(/\{([^{}]*)\}/g, "_by_$1_"));
  return [method, ...words].join("_");
}

/** Models take no other name, and each only once. */
export function createNames(): (wanted: string) => string {
  const counts = new Map<string, number>();
  const taken = new Set<string>();
  return (wanted) => {
    const plain = wanted
      .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
      .replaceAll(/_{2,}/g, "_")
      .replaceAll(/^_|_$/g, "");
    const name = plain.slice(0, 60) || "operation";
    // Counted on, so that a thousand equal names are not compared with each other.
    let count = counts.get(name) ?? 0;
    let unique: string;
    do {
      count += 1;
      unique = count === 1 ? name : `${name.slice(0, 58)}_${count}`;
    } while (taken.has(unique));
    counts.set(name, count);
    taken.add(unique);
    return unique;
  };
}

/** As model providers accept it. */
export function argumentName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_(?=.)|_$/g, "");
  return plain.slice(0, 64) || "value";
}
