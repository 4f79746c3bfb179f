import { namedSchemas, nestedSchemas, schemaTypes } from "../../lib/json/schema-keywords.ts";
import { isPattern } from "../../lib/text/safe-pattern.ts";
import { isObject } from "../../model/json.ts";

const dialect = /^https?:\/\/json-schema\.org\/(draft-0[3-7]|draft\/(2019-09|2020-12))\/schema#?$/;
const named = new Set(namedSchemas);
/** The schema of encoded content is not applied, and must be one nevertheless. */
const nested = new Set([...nestedSchemas, "contentSchema"]);
const limits = { depth: 64, nodes: 20_000 };

/** What makes a schema unusable, and where; null if it is usable. */
export function schemaProblem(schema: unknown): string | null {
  let nodes = 0;
  const visit = (node: unknown, path: string, depth: number, isSchema: boolean): string | null => {
    nodes += 1;
    if (nodes > limits.nodes) return `it has more than ${limits.nodes} parts`;
    if (depth > limits.depth) return `it is nested deeper than ${limits.depth}`;
    if (Array.isArray(node))
      return first(node, (item, at) => visit(item, `${path}/${at}`, depth + 1, isSchema));
    if (!isObject(node)) return null;
    return (
      (isSchema ? keywordProblem(node, path) : null) ??
      first(Object.entries(node), ([key, value]) => {
        const where = `${path}/${key}`;
        if (!isSchema || !named.has(key) || !isObject(value))
          return visit(value, where, depth + 1, isSchema && nested.has(key));
        return first(Object.entries(value), ([name, child]) =>
          key === "patternProperties" && !isPattern(name)
            ? `pattern ${JSON.stringify(name)} at ${where} is not a regular expression`
            : visit(child, `${where}/${name}`, depth + 2, !Array.isArray(child)),
        );
      })
    );
  };
  return visit(schema, "", 0, true);
}

function first<T>(
  items: readonly T[],
  find: (item: T, at: number) => string | null,
): string | null {
  for (const [at, item] of items.entries()) {
    const found = find(item, at);
    if (found !== null) return found;
  }
  return null;
}

function keywordProblem(
  { type, pattern, $schema }: Record<string, unknown>,
  path: string,
): string | null {
  const where = path === "" ? "" : ` at ${path}`;
  const named = type === undefined ? [] : Array.isArray(type) ? type : [type];
  const unknown = named.find((one) => !schemaTypes.has(String(one)));
  if (unknown !== undefined)
    return `type ${JSON.stringify(unknown)}${where} is not one of JSON Schema`;
  if (typeof pattern === "string" && !isPattern(pattern)) {
    return `pattern ${JSON.stringify(pattern)}${where} is not a regular expression`;
  }
  if ($schema !== undefined && !dialect.test(String($schema))) {
    return `dialect ${JSON.stringify($schema)}${where} is not one we know`;
  }
  return null;
}
