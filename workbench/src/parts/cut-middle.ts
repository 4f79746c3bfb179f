/** Characters of a name on two lines of a phone. */
const maxLength = 36;

/** As long as fits; the beginning and the end stay. */
export function cutMiddle(name: string, max = maxLength): string {
  const letters = [...name];
  if (letters.length <= max) return name;
  const end = Math.floor((max - 1) / 2);
  return `${letters.slice(0, max - 1 - end).join("")}…${letters.slice(-end).join("")}`;
}
