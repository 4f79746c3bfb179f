/** Words in the place of a persona that exclude shared tools. Short commands read them, so they load nothing. */
export const withoutShared: readonly string[] = [
  "-shared",
  "!shared",
  "no-shared",
  "without-shared",
  "shared=false",
  "shared:false",
];
