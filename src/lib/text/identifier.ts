/** A name as it may stand behind a dot: every other character becomes `_`. */
export function foldIdentifier(name: string): string {
  const folded = name.replaceAll(/[^A-Za-z0-9_$]/g, "_");
  return /^[0-9]/.test(folded) || folded === "" ? `_${folded}` : folded;
}

/** `.name`, or `["na-me"]`. */
export function accessor(name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return `.${name}`;
  return `[${JSON.stringify(name)}]`;
}
