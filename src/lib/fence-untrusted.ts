import { plainText } from "./plain-text.ts";

const mark = "tool_output";
/** Whatever could be read as one of the markers, however it is spaced, written or numbered. */
const anyMarker = /[<＜‹〈](?=[^a-z0-9<>]{0,8}tool[^a-z0-9<>]{0,8}output)/gi;

/**
 * Text of others for a model to read: between markers that cannot be ended from within. Invisible characters are
 * left out, and what looks like a marker stays readable and is none.
 */
export function fenceUntrusted(text: string): string {
  return `<${mark}>\n${plainText(text).replaceAll(anyMarker, "&lt;")}\n</${mark}>`;
}
