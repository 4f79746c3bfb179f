import type { ToolOverlay } from "../../model/catalogue/tool.ts";
import { hiddenValue } from "../../model/catalogue/tool.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

/** A reference says where a value is and not what it is. */
const reference = /^\$\{\w+\}$/;

/** An overlay for display: fixed values are shown to nobody. */
export function hideFixed(overlay: ToolOverlay): ToolOverlay {
  if (overlay.arguments === undefined) return overlay;
  const shown = overlay.arguments.map((argument) =>
    argument.fixed === undefined || isReference(argument.fixed) ? argument : { ...argument, fixed: hiddenValue },
  );
  return { ...overlay, arguments: shown };
}

/** Whoever sets an overlay again without having seen its fixed values keeps them. */
export function keepFixed(given: UnknownObject, before: ToolOverlay | undefined): UnknownObject {
  if (!Array.isArray(given.arguments)) return given;
  const known = new Map((before?.arguments ?? []).map(({ name, fixed }) => [name, fixed]));
  const restored = given.arguments.map((argument: unknown) => {
    if (!isObject(argument) || argument.fixed !== hiddenValue) return argument;
    const { fixed: _, ...rest } = argument;
    const value = known.get(String(argument.name));
    return value === undefined ? rest : { ...rest, fixed: value };
  });
  return { ...given, arguments: restored };
}

function isReference(value: unknown): boolean {
  return typeof value === "string" && reference.test(value);
}
