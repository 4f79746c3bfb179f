/** Where a value stands: keys of objects and places in lists. */
export type Path = readonly (string | number)[];

export function renderPath(path: Path): string {
  return path.map((part, at) => (typeof part === "number" ? `[${part}]` : at === 0 ? part : `.${part}`)).join("");
}
