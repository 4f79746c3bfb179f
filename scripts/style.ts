import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const maxLine = 100;

/** Names that tell a reader nothing of what they stand for. */
const vagueNames = new Set(
  `all any asked at both each every found given held here it kept known left made none one other others own place rest
   said same seen some taken that them there thing things this those told wanted way ways whole word words`
    .trim()
    .split(/\s+/),
);

type Figures = { bindings: number; vague: number; ternaries: number; long: number; lines: number };
/** Vague names for 1,000 bindings, ternaries and long lines for 1,000 lines, bindings for 100 lines. */
export type Rates = { vague: number; ternaries: number; long: number; bindings: number };

const rooms = (folder: string) => globSync(`${folder}/*/`, { cwd: root });

function filesOf(room: string): string[] {
  return globSync(`${room}/**/*.{ts,tsx}`, { cwd: root }).filter(
    (file) => !/\.test\.tsx?$|(^|\/)generated\//.test(file),
  );
}

export function countIn(text: string): Figures {
  const figures: Figures = { bindings: 0, vague: 0, ternaries: 0, long: 0, lines: 0 };
  for (const line of text.replace(/\/\*[\s\S]*?\*\//g, "").split("\n")) {
    const code = line.replace(/\/\/.*$/, "").replace(/(["'`])(?:\\.|(?!\1).)*\1/g, '""');
    if (code.trim() === "") continue;
    figures.lines += 1;
    figures.long += line.length > maxLine ? 1 : 0;
    figures.ternaries += (code.match(/(?<![?(])\?(?![.?:)])\s/g) ?? []).length;
    const names = [...declaredIn(code)];
    figures.bindings += names.length;
    figures.vague += names.filter((name) => vagueNames.has(name)).length;
  }
  return figures;
}

/** Constants, variables and the parameters of arrow functions. */
function* declaredIn(code: string): Generator<string> {
  for (const [, name, pattern = name] of code.matchAll(
    /\b(?:const|let)\s+(?:(\w+)|[{[]([^}\]=]*)[}\]])/g,
  ))
    yield* namesIn(pattern);
  for (const [, pattern, name] of code.matchAll(
    /[(,]\s*(?:\{([^}]*)\}|(\w+))\s*(?::[^,)=]*)?(?=[,)=])[^()]*\)\s*(?::[^=]*)?=>/g,
  ))
    yield* namesIn(pattern ?? name ?? "");
}

/** `{ at: startedAt }` declares `startedAt`. */
function namesIn(pattern = ""): string[] {
  const names = pattern.split(",").map((part) => part.split(":").at(-1)?.replace(/\W/g, "") ?? "");
  return names.filter((name) => name !== "");
}

function ratesOf(room: string): Rates {
  const sum: Figures = { bindings: 0, vague: 0, ternaries: 0, long: 0, lines: 0 };
  for (const file of filesOf(room)) {
    const figures = countIn(readFileSync(join(root, file), "utf8"));
    for (const name of Object.keys(sum) as (keyof Figures)[]) sum[name] += figures[name];
  }
  const rate = (count: number, of: number, per: number) => Math.ceil((count * per) / (of || 1));
  return {
    vague: rate(sum.vague, sum.bindings, 1_000),
    ternaries: rate(sum.ternaries, sum.lines, 1_000),
    long: rate(sum.long, sum.lines, 1_000),
    bindings: rate(sum.bindings, sum.lines, 100),
  };
}

/** What a reader feels in each room. */
export function measureStyle(): Record<string, Rates> {
  const all = ["src", "packages", "workbench/src"].flatMap(rooms);
  return Object.fromEntries(all.map((room) => [room, ratesOf(room)]));
}

const file = join(root, "test", "style.json");
export const readAllowed = (): Record<string, Rates> => JSON.parse(readFileSync(file, "utf8"));

/** Writes what is better than before; what is worse stays, and the test says so. */
function lowerAllowed(): void {
  const before = readAllowed();
  const lowered = Object.entries(measureStyle()).map(([room, rates]) => {
    const most = before[room] ?? rates;
    const names = Object.keys(rates) as (keyof Rates)[];
    return [
      room,
      Object.fromEntries(names.map((name) => [name, Math.min(rates[name], most[name])])),
    ];
  });
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
}

if (import.meta.main) lowerAllowed();
