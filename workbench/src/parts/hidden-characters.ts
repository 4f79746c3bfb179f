/** Control, invisible and direction-changing characters; joiners only where no script or emoji needs them. */
export const hiddenCharacters =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\u034f|[\u{e0000}-\u{e007f}]|(?<![\u0300-\u1fff\u2070-\u{10ffff}])[\u200c\u200d]|[\u200c\u200d](?![\u0300-\u1fff\u2070-\u{10ffff}])/gu;

/** `U+202E`. */
export function nameCharacter(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The JSON text with such characters escaped. */
export function escapeHidden(json: string): string {
  return json.replaceAll(hiddenCharacters, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const code = character.charCodeAt(index).toString(16).padStart(4, "0");
      return `\\u${code}`;
    }).join(""),
  );
}
