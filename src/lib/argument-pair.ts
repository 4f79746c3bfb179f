export type ArgumentPair = { key: string; value: string; isJson: boolean };

/** `key=text` or `key:=json` in its parts; null when it is neither. */
export function splitPair(pair: string): ArgumentPair | null {
  const [, key = "", operator, value = ""] = /^([^=]*?)(:?=)(.*)$/s.exec(pair) ?? [];
  return key === "" ? null : { key, value, isJson: operator === ":=" };
}
