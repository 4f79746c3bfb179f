/** The parser takes a second or two for a mebibyte, and nothing else runs meanwhile. */
const maxYamlLength = 2 * 1024 * 1024;
/** More counts as an attack on memory. */
const maxAliasCount = 100;

/** Without places and comments, so that ten mebibytes of JSON are read in the blink of an eye. */
export async function parseData(text: string): Promise<unknown> {
  if (/^\s*[{[]/.test(text)) return JSON.parse(text);
  if (text.length > maxYamlLength)
    throw new Error(`YAML of more than ${maxYamlLength / 1024 / 1024} MiB takes too long; give it as JSON`);
  const { parse } = await import("yaml");
  // Comparing all keys of a mapping with each other takes time that grows with their square.
  return parse(text, { maxAliasCount, uniqueKeys: false, merge: true, prettyErrors: false, logLevel: "silent" });
}
