/** `${input.city}` is `["input", "city"]`. Other texts are left alone. */
type Path = readonly string[];

const reference = /\$\{([A-Za-z_][\w-]*(?:\.[\w-]+)+)\}/g;

/** At any depth, each once. */
export function referencesIn(value: unknown): string[][] {
  const paths = new Set<string>();
  visit(value, (text) => {
    for (const [, path = ""] of text.matchAll(reference)) paths.add(path);
  });
  return [...paths].map((path) => path.split("."));
}

/** `city` of `${input.city.name}`, each once. */
export function namesUnder(root: string, value: unknown): string[] {
  const names = referencesIn(value).flatMap(([first, name = ""]) => (first === root ? [name] : []));
  return [...new Set(names)];
}

/** A text that is one reference becomes its value; inside other text it is written out. */
export function fillReferences(value: unknown, lookUp: (path: Path) => unknown): unknown {
  if (typeof value === "string") {
    const [match] = value.matchAll(reference);
    if (match?.[0] === value) return lookUp((match[1] ?? "").split("."));
    return value.replaceAll(reference, (_, path: string) => asText(lookUp(path.split("."))));
  }
  if (Array.isArray(value)) return value.map((item) => fillReferences(item, lookUp));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, fillReferences(inner, lookUp)]),
  );
}

/** Undefined where there is nothing. */
export function valueAtPath(value: unknown, path: Path): unknown {
  let holder = value;
  for (const key of path) {
    if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key))
      return undefined;
    holder = (holder as Record<string, unknown>)[key];
  }
  return holder;
}

function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value) ?? "";
}

function visit(value: unknown, onText: (text: string) => void): void {
  if (typeof value === "string") onText(value);
  else if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) visit(inner, onText);
}
