const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\u034f|\udb40[\udc00-\udfff]|[\ufe00-\ufe0f]{2,}|(?<=[A-Za-z\s])[\ufe00-\ufe0f]/g;
/** Emoji, Arabic and Indic scripts need joiners; elsewhere they hide something. */
const joiners =
  /(?<![\u0300-\u1fff\u2070-\uffff])[\u200c\u200d]|[\u200c\u200d](?![\u0300-\u1fff\u2070-\udb3f\udb41-\uffff])/g;
const suspect = new RegExp(`${hidden.source}|[\\u200c\\u200d]`);

/** No escape sequences, no control, invisible or direction-changing characters. */
export function plainText(text: string): string {
  if (!suspect.test(text)) return text;
  return text.replaceAll(joiners, "").replaceAll(escapes, "").replaceAll(hidden, "");
}

const mark = "tool_output";
/** Anything that reads as a marker, however spaced or written. */
const anyMarker = /[<＜‹〈](?=[^a-z0-9<>]{0,8}tool[^a-z0-9<>]{0,8}output)/gi;

/** Foreign text for a model, between markers that it cannot end: what looks like a marker stays readable, as none. */
export function fenceUntrusted(text: string): string {
  return `<${mark}>\n${plainText(text).replaceAll(anyMarker, "&lt;")}\n</${mark}>`;
}
