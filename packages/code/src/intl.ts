/** What each kind of `Intl` may be asked, beside making it. */
export const intl: Readonly<Record<string, readonly string[]>> = {
  NumberFormat: ["format", "formatToParts", "formatRange"],
  DateTimeFormat: ["format", "formatToParts", "formatRange"],
  RelativeTimeFormat: ["format", "formatToParts"],
  ListFormat: ["format", "formatToParts"],
  PluralRules: ["select"],
  Collator: ["compare"],
  DisplayNames: ["of"],
  Segmenter: ["segment"],
};
