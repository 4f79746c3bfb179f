/** The parser takes a second or two for a mebibyte, and nothing else runs meanwhile. */
const maxYamlLength = 2 * 1024 * 1024;
/** More counts as an attack on memory. */
const maxAliasCount = 100;

/** Without places and comments, so that ten mebibytes of JSON are read in the blink of an eye. */
export async function parseData(text: string): Promise<unknown> {
  if (/^\s*[{[]/.test(text)) return parseJson(text);
  if (text.length > maxYamlLength)
    throw new Error(
      `YAML of more than ${maxYamlLength / 1024 / 1024} MiB takes too long; give it as JSON`,
    );
  const { parse } = await import("yaml");
  // Comparing all keys of a mapping with each other takes time that grows with their square.
  try {
    return parse(text, {
      maxAliasCount,
      uniqueKeys: false,
      merge: true,
      prettyErrors: false,
      logLevel: "silent",
    });
  } catch (thrown) {
    throw new Error(describeError(thrown, "YAML"));
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(describeError(thrown, "JSON"));
  }
}

/** Without a piece of the text, which may be a file that was named by mistake. */
function describeError(thrown: unknown, format: string): string {
  const { message = "", pos } = thrown as { message?: string; pos?: readonly number[] };
  if (/alias/i.test(message)) return "its aliases repeat too much";
  const position = pos?.[0] ?? /position (\d+)/.exec(message)?.[1];
  if (position === undefined) return `it is not valid ${format}`;
  return `it is not valid ${format} at character ${position}`;
}
