import { nearest } from "../../lib/nearest.ts";
import type { ConfigProblem } from "../../model/config.ts";
import { isObject } from "../../model/json.ts";
import type { ConfigDocument, Setting } from "../setting.ts";
import { readByName } from "./by-name.ts";
import { placeForcedRules } from "./forced-rules.ts";
import { mcpToolEntries } from "./mcp-tool-entries.ts";
import { native } from "./native.ts";
import { overlays } from "./overlays.ts";
import { providerList } from "./provider-list.ts";
import { createReading, originIn, type Reading } from "./reading.ts";
import type { Shape } from "./shape.ts";
import { handWrittenTools, isToolEntry, readToolEntry } from "./tool-entries.ts";

const shapes: readonly Shape[] = [native, overlays, handWrittenTools, providerList, mcpToolEntries];
const sections = ["$schema", ...shapes.flatMap(({ keys }) => keys)];

/** A file in any shape as settings of the normal form. Several shapes may stand in one file. */
export function readShapes(document: ConfigDocument): { settings: Setting[]; problems: ConfigProblem[] } {
  const reading = createReading(originIn(document));
  readData(reading, document.data);
  placeForcedRules(reading);
  const { settings, problems } = reading;
  return { settings, problems };
}

function readData(reading: Reading, data: unknown): void {
  if (Array.isArray(data)) return readList(reading, data);
  if (isToolEntry(data) && !hasServers(data)) return readToolEntry(reading, data, [], { tellsAssumed: true });
  if (!isObject(data)) {
    return reading.fail([], "the top level must be an object", 'Start with { "mcpServers": { … } }.');
  }
  const names = readByName(reading, data, sections);
  const rest = Object.fromEntries(Object.entries(data).filter(([key]) => !names.includes(key)));
  for (const shape of shapes) shape.read(reading, rest);
  for (const key of Object.keys(rest).filter((key) => !sections.includes(key))) {
    const meant = misspelledWrapper(key, rest[key]);
    if (meant === undefined) reading.warnUnknownKey([key], sections);
    else
      reading.fail(
        [key],
        `'${key}' is not a key we know, so no server in it is read`,
        `Did you mean '${meant}'?`,
      );
  }
}

/** A section that is misspelled loses a setting; the one of the servers loses all of them. */
function misspelledWrapper(key: string, value: unknown): string | undefined {
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  const plain = key.replaceAll(/[^a-z]/gi, "");
  const near = nearest(key, sections, 1)[0] ?? nearest(plain, sections, 1)[0];
  return near === "mcpServers" || near === "servers" ? near : undefined;
}

function hasServers(data: unknown): boolean {
  return isObject(data) && (isObject(data.mcpServers) || isObject(data.servers));
}

function readList(reading: Reading, list: readonly unknown[]): void {
  for (const [at, entry] of list.entries()) {
    if (isToolEntry(entry)) readToolEntry(reading, entry, [at], { tellsAssumed: true });
    else reading.fail([at], "a list may hold tools only, each with a name and a description");
  }
}
