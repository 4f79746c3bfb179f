/** Foreign text made safe to print: no escape sequences, no control or direction-changing characters. */
export function plainText(text: string): string {
  return text
    .replaceAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g, "")
    .replaceAll(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
      "",
    )
    .replaceAll(/[\u{e0000}-\u{e007f}]/gu, "");
}
