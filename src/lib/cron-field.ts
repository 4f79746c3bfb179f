export type CronField = { name: string; from: number; to: number; words?: readonly string[] };

export const cronFields: readonly CronField[] = [
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day of the month", from: 1, to: 31 },
  {
    name: "month",
    from: 1,
    to: 12,
    words: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { name: "day of the week", from: 0, to: 7, words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

/** The values in order, or what is wrong. */
export function readCronField(parts: readonly string[], field: CronField): number[] | string {
  const values = new Set<number>();
  for (const part of parts) {
    const range = readRange(part, field);
    if (typeof range === "string") return `has '${part}' as its ${field.name}: ${range}`;
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

export function readCronValue(text: string, { from, to, words }: CronField): number | null {
  const word = words?.indexOf(text.toLowerCase()) ?? -1;
  const value =
    word >= 0 ? word + (words?.length === 12 ? 1 : 0) : /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= from && value <= to ? value : null;
}

function readRange(part: string, field: CronField): { from: number; to: number; step: number } | string {
  const wanted = `give ${field.from} to ${field.to}, a list, a range or a step`;
  const found = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d{1,3}))?$/i.exec(part);
  if (found === null) return wanted;
  const [, first = "", last, step = "1"] = found;
  if (first === "*" && last !== undefined) return wanted;
  const from = first === "*" ? field.from : readCronValue(first, field);
  const isOpen = first === "*" || (last === undefined && part.includes("/"));
  const to = last === undefined ? (isOpen ? field.to : from) : readEnd(last, field);
  if (from === null || to === null || from > to || Number(step) === 0) return wanted;
  // It would come once and look as if it came again.
  const most = field.to - field.from + 1;
  return Number(step) > most
    ? `a step cannot be more than ${most}`
    : { from, to: Math.min(to, field.to), step: Number(step) };
}

/** A week that begins with Saturday ends with Sunday. */
function readEnd(text: string, field: CronField): number | null {
  const value = readCronValue(text, field);
  return field.to === 7 && value === 0 ? 7 : value;
}
