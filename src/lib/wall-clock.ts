/**
 * What clocks show in a time zone. A wall time is kept as the moment at which a clock in UTC shows the same, so that
 * days and months can be counted without knowing the zone.
 */
const formats = new Map<string, Intl.DateTimeFormat>();
const dayMs = 86_400_000;
/** Clocks are changed at a quarter of an hour, and asking how is slow. */
const quarterMs = 900_000;
const offsets = new Map<string, number>();
const maxOffsets = 20_000;

export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** What a clock in the zone shows at this moment. */
export function wallTimeAt(zone: string, at: number): number {
  return at + offsetAt(zone, at);
}

/** How far the clocks of the zone are ahead. */
export function offsetAt(zone: string, at: number): number {
  if (zone === "UTC") return 0;
  const quarter = Math.floor(at / quarterMs);
  const key = `${zone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  if (offsets.size >= maxOffsets) offsets.clear();
  const offset = askOffset(zone, quarter * quarterMs);
  offsets.set(key, offset);
  return offset;
}

function askOffset(zone: string, at: number): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) - at;
}

/** Every moment at which the clock shows this: none in the hour that is left out, two in the one that comes twice. */
export function momentsOf(zone: string, wall: number): number[] {
  const [before, after] = [offsetAt(zone, wall - dayMs), offsetAt(zone, wall + dayMs)];
  const found = new Set([wall - before, wall - after]);
  return [...found].filter((at) => wallTimeAt(zone, at) === wall).sort((a, b) => a - b);
}

/** The first moment at which the clock shows this, or, where it never does, the one at which it has jumped over it. */
export function momentOf(zone: string, wall: number): number {
  const [first] = momentsOf(zone, wall);
  if (first !== undefined) return first;
  const [before, after] = [offsetAt(zone, wall - dayMs), offsetAt(zone, wall + dayMs)];
  let [early, late] = [wall - Math.max(before, after), wall - Math.min(before, after)];
  while (late - early > 1_000) {
    const middle = Math.floor((early + late) / 2_000) * 1_000;
    if (middle <= early) break;
    if (offsetAt(zone, middle) === after) late = middle;
    else early = middle;
  }
  return late;
}

/** A date is the beginning of that day; without an offset it is what a clock in the zone shows. Null when it is neither. */
export function readMoment(text: string, zone: string): { at: number; isDate: boolean } | null {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(
    text,
  );
  if (parts === null) return null;
  const [, date = "", time, offset] = parts;
  const wall = Date.parse(`${date}T${time ?? "00:00"}${offset ?? "Z"}`);
  const day = Date.parse(`${date}T00:00Z`);
  // 30 February is taken for 2 March by the parser.
  if (Number.isNaN(wall) || Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date)
    return null;
  return { at: offset === undefined ? momentOf(zone, wall) : wall, isDate: time === undefined };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const numeric = "numeric" as const;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
  });
  formats.set(zone, format);
  return format;
}
