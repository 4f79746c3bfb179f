import { isObject } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";
import { toNumber } from "./coerce.ts";
import { describeValue, isName, type Reading } from "./reading.ts";

/** The providers of a tool; one that cannot be used is left out, a number that is none gets its default. */
export function readProviders(reading: Reading, list: unknown, source: Path): unknown {
  if (!Array.isArray(list)) return list;
  return list.flatMap((entry, at) => {
    const place = [...source, at];
    if (isObject(entry) && isName(entry.name)) return [withNumbers(reading, entry, place)];
    reading.warn(place, "a provider without a 'name' is left out");
    return [];
  });
}

function withNumbers(
  reading: Reading,
  entry: Record<string, unknown>,
  source: Path,
): Record<string, unknown> {
  const read = { ...entry };
  for (const key of ["priority", "health_check_interval"].filter((key) => Object.hasOwn(entry, key))) {
    const number = toNumber(entry[key]);
    read[key] = number;
    if (typeof number === "number" && (number >= 0 || key === "priority")) continue;
    delete read[key];
    reading.warn([...source, key], `${describeValue(entry[key])} is no number that can be used here`);
  }
  return read;
}
