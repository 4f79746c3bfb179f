import { SourceMap, stripTypeScriptTypes } from "node:module";
import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import { withLastValue } from "./last-value.ts";

const wrapper = ["(async () => {", "\n})()"] as const;

/** The line that the author wrote, for one of the program that runs. */
export type LineOf = (line: number, column: number) => number;
type Evaluated = { lineOf: LineOf } & (
  | { handle: QuickJSHandle }
  | { name: string; message: string; stack: string }
);

/** Types are removed only where the engine does not take the program as it is: most have none, and the remover is large. */
export function evaluate(context: QuickJSContext, source: string): Evaluated {
  const sameLine: LineOf = (line) => line;
  const firstTry = evaluateProgram(context, source, sameLine);
  if (!("name" in firstTry) || firstTry.name !== "SyntaxError") return firstTry;
  try {
    const { text, lineOf } = withoutTypes(wrapper.join(source));
    // More stands behind it where it is transformed: a semicolon and a map.
    const [, program] = /^\(async \(\) ?=> ?\{([\s\S]*)\}\)\(\)/.exec(text) ?? [];
    if (program === undefined) return firstTry;
    return evaluateProgram(context, program, lineOf);
  } catch {
    return firstTry;
  }
}

function evaluateProgram(context: QuickJSContext, source: string, lineOf: LineOf): Evaluated {
  const compiles = (text: string) => {
    const compiled = context.evalCode(text, "program.ts", { strict: true, compileOnly: true });
    compiled.dispose();
    return compiled.error === undefined;
  };
  const evaluated = context.evalCode(wrapper.join(withLastValue(source, compiles)), "program.ts", {
    strict: true,
  });
  if (!evaluated.error) return { lineOf, handle: evaluated.value };
  const {
    name = "Error",
    message = "",
    stack = "",
  } = evaluated.error.consume((thrown) => context.dump(thrown));
  return { lineOf, name, message, stack };
}

function withoutTypes(script: string): { text: string; lineOf: LineOf } {
  try {
    // In place: lines stay where the author wrote them.
    return { text: stripTypeScriptTypes(script), lineOf: (line) => line };
  } catch {
    // Enums, namespaces and parameters that are properties are code, not types. That moves lines.
    const text = stripTypeScriptTypes(script, { mode: "transform", sourceMap: true });
    const [, encoded = ""] =
      /sourceMappingURL=data:application\/json;base64,([\w+/=]+)/.exec(text) ?? [];
    const map = new SourceMap(JSON.parse(Buffer.from(encoded, "base64").toString("utf8")));
    return {
      text,
      lineOf(line, column) {
        const mapped = map.findEntry(line - 1, Math.max(0, column - 1));
        if ("originalLine" in mapped) return mapped.originalLine + 1;
        return line;
      },
    };
  }
}
