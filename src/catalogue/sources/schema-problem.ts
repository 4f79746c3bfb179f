import { namedSchemas, nestedSchemas, schemaTypes } from "../../lib/json/schema-keywords.ts";
import { isPattern } from "../../lib/text/safe-pattern.ts";
import { isObject } from "../../model/json.ts";

const dialect = /^https?:\/\/json-schema\.org\/(draft-0[3-7]|draft\/(2019-09|2020-12))\/schema#?$/;
const namedKeywords = new Set(namedSchemas);
/** The schema of encoded content is not applied, and must be one nevertheless. */
const nestedKeywords = new Set([...nestedSchemas, "contentSchema"]);
const limits = { depth: 64, nodes: 20_000 };

/** What makes a schema unusable, and where; null if it is usable. */
export function schemaProblem(schema: unknown): string | null {
  let nodes = 0;
  const visit = (node: unknown, path: string, depth: number, isSchema: boolean): string | null => {
    nodes += 1;
    if (nodes > limits.nodes) return `it has more than ${limits.nodes} parts`;
    if (depth > limits.depth) return `it is nested deeper than ${limits.depth}`;
    if (Array.isArray(node))
      return firstProblem(node, (member, index) =>
        visit(member, `${path}/${index}`, depth + 1, isSchema),
      );
    if (!isObject(node)) return null;
    const problem = isSchema ? keywordProblem(node, path) : null;
    if (problem !== null) return problem;
    return firstProblem(Object.entries(node), ([key, child]) => {
      const childPath = `${path}/${key}`;
      if (isSchema && namedKeywords.has(key) && isObject(child))
        return visitNamed(key, child, childPath, depth);
      return visit(child, childPath, depth + 1, isSchema && nestedKeywords.has(key));
    });
  };
  const visitNamed = (keyword: string, schemas: object, path: string, depth: number) =>
    firstProblem(Object.entries(schemas), ([name, child]) => {
      if (keyword === "patternProperties" && !isPattern(name))
        return `pattern ${JSON.stringify(name)} at ${path} is not a regular expression`;
      return visit(child, `${path}/${name}`, depth + 2, !Array.isArray(child));
    });
  return visit(schema, "", 0, true);
}

function firstProblem<T>(
  members: readonly T[],
  problemOf: (member: T, index: number) => string | null,
): string | null {
  for (const [index, member] of members.entries()) {
    const problem = problemOf(member, index);
    if (problem !== null) return problem;
  }
  return null;
}

function keywordProblem(
  { type, pattern, $schema }: Record<string, unknown>,
  path: string,
): string | null {
  const place = path === "" ? "" : ` at ${path}`;
  const types = [type].flat();
  const unknown = types.find((name) => name !== undefined && !schemaTypes.has(String(name)));
  if (unknown !== undefined)
    return `type ${JSON.stringify(unknown)}${place} is not one of JSON Schema`;
  if (typeof pattern === "string" && !isPattern(pattern)) {
    return `pattern ${JSON.stringify(pattern)}${place} is not a regular expression`;
  }
  if ($schema !== undefined && !dialect.test(String($schema))) {
    return `dialect ${JSON.stringify($schema)}${place} is not one we know`;
  }
  return null;
}
