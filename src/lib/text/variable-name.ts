/** `search-key` and `searchKey` are `SEARCH_KEY`. Always a name that a variable can have. */
export function variableName(id: string): string {
  if (/^[A-Z_][A-Z0-9_]*$/.test(id)) return id;
  const joined = id.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").replaceAll(/[^A-Za-z0-9_]+/g, "_");
  return joined.toUpperCase().replace(/^(?=\d|$)/, "_");
}
