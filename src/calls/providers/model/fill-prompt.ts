import type { Json, JsonObject } from "../../../model/json.ts";

/** Puts arguments in the places of `{{name}}`; one that is not given leaves its place empty. What is put in is not read again. */
export function fillPrompt(template: string, args: JsonObject): string {
  return template.replaceAll(/\{\{\s*([^{}]+?)\s*\}\}/g, (_, name: string) =>
    Object.hasOwn(args, name) ? toText(args[name] as Json) : "",
  );
}

function toText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
