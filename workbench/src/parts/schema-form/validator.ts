import type { ErrorSchema, RJSFSchema, ValidatorType } from "@rjsf/utils";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { checkValue, type FieldProblem, isMissing } from "./check-value.ts";

/**
 * The form validator, without a schema compiler: see `check-value.ts`. While a form is filled in for the first time, what
 * is still empty is no mistake. A form keeps its first validator, so the validator asks.
 */
export function validatorOf(isFirst: () => boolean): ValidatorType<UnknownObject, RJSFSchema> {
  return {
    isValid: (schema, data, root) => checkValue(schema, data, root).length === 0,
    rawValidation: (schema, data) => ({ errors: checkValue(schema, data) as never[] }),
    validateFormData(data, schema) {
      const problems = checkValue(schema, data ?? {}).filter(
        (problem) => !isFirst() || !isMissing(problem),
      );
      return {
        errors: problems.map(({ path, message }) => ({
          property: `.${path.join(".")}`,
          message,
          stack: `${path.join(".")} ${message}`,
        })),
        errorSchema: toErrorSchema(problems),
      };
    },
  };
}

/** Fields may be called what every object has, such as `constructor`. */
export function toErrorSchema(wrong: readonly FieldProblem[]): ErrorSchema<UnknownObject> {
  const root: UnknownObject = {};
  for (const { path, message } of wrong) {
    if (path.includes("__proto__")) continue;
    let node = root;
    for (const name of path) {
      if (!Object.hasOwn(node, name)) node[name] = {};
      node = node[name] as UnknownObject;
    }
    node.__errors = [...((node.__errors as string[] | undefined) ?? []), message];
  }
  return root as ErrorSchema<UnknownObject>;
}
