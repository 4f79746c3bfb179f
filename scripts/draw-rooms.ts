import { readFileSync } from "node:fs";
import { join } from "node:path";
import { coreFiles, importsOf, isIn, ownTarget, packageFiles, source } from "./rooms.ts";

/** What is drawn as one row, from top to bottom, and the files that it stands for. */
const rows: readonly (readonly [name: string, places: readonly string[]])[] = [
  [
    "bin, local",
    [
      "bin.ts",
      "local-cli.ts",
      "local-attach.ts",
      "local-plane.ts",
      "local-setup.ts",
      "local-files.ts",
    ],
  ],
  ["faces", ["faces"]],
  ["testing", ["testing"]],
  [
    "plane",
    ["index.ts", "bundled.ts", "plane.ts", "plane-lifecycle.ts", "plane-context.ts", "state.ts"],
  ],
  ["packages", ["../packages"]],
  ["operations", ["operations", "bundled"]],
  ["work", ["work"]],
  ["agent", ["agent"]],
  ["extensions", ["extensions"]],
  ["calls", ["calls"]],
  ["access", ["access"]],
  ["catalogue", ["catalogue"]],
  ["servers", ["servers"]],
  ["store", ["store"]],
  ["config", ["config"]],
  ["protocol", ["protocol"]],
  ["model", ["model"]],
  ["lib", ["lib"]],
];

/** Everything stands on them, so lines to them would tell nothing. */
const ground = ["model", "lib"];

const rowHeight = 34;
const top = 76;
const boxLeft = 24;
const boxWidth = 250;
const barLeft = 132;
const lineLeft = boxLeft + boxWidth;
const width = 600;
const height = top + rows.length * rowHeight + 20;

const rowOf = (file: string) =>
  rows.findIndex(([, places]) => places.some((place) => isIn(file, place)));
const middleOf = (row: number) => top + row * rowHeight + 13;

function countLines(file: string): number {
  return readFileSync(join(source, file), "utf8").split("\n").length;
}

/** Coarse, so that the picture changes when a room does. */
const thousandsOf = (lines: number) => Math.max(1, Math.round(lines / 1_000));

type Line = { from: number; to: number; imports: number };

function countImports(files: readonly string[]): Line[] {
  const counts = new Map<string, Line>();
  for (const found of files.flatMap(importsOf)) {
    const from = rowOf(found.file);
    const to = rowOf(ownTarget(found));
    if (!found.target.startsWith(".") || to < 0 || from === to) continue;
    const line = counts.get(`${from} ${to}`) ?? { from, to, imports: 0 };
    line.imports += 1;
    counts.set(`${from} ${to}`, line);
  }
  return [...counts.values()].sort((first, second) => first.imports - second.imports);
}

function drawRow(name: string, row: number, thousands: number): string {
  const y = top + row * rowHeight;
  const bar = Math.round(Math.sqrt(thousands) * 13);
  return `  <rect class="box" x="${boxLeft}" y="${y}" width="${boxWidth}" height="26" rx="5"/>
  <rect class="bar" x="${barLeft}" y="${y + 8}" width="${bar}" height="10" rx="2"/>
  <text class="ink" x="${boxLeft + 10}" y="${y + 18}">${name}</text>
  <text class="quiet" x="${lineLeft - 8}" y="${y + 18}" text-anchor="end">${thousands}k</text>`;
}

/** Down on the right, the further the wider. */
function drawLine({ from, to, imports }: Line): string {
  const [start, end] = [middleOf(from), middleOf(to)];
  const reach = lineLeft + 16 + Math.abs(to - from) * 24;
  const strokeWidth = 0.5 + Math.round(Math.log2(imports)) / 2;
  const title = `${rows[from]?.[0]} imports ${rows[to]?.[0]}`;
  return `  <path class="line" stroke-width="${strokeWidth}" d="M${lineLeft} ${start}C${reach} ${start} ${reach} ${end} ${lineLeft + 6} ${end}"><title>${title}</title></path>`;
}

/** The rooms, how large they are, and who imports whom. */
export function drawRooms(): string {
  const files = [...coreFiles, ...packageFiles];
  const sizes = rows.map((_, row) =>
    files.filter((file) => rowOf(file) === row).reduce((sum, file) => sum + countLines(file), 0),
  );
  const isDrawn = ({ to }: Line) => !ground.includes(rows[to]?.[0] ?? "");
  const lines = countImports(files).filter(isDrawn);
  const boxes = rows.map(([name], row) => drawRow(name, row, thousandsOf(sizes[row] ?? 0)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="14">
  <title>The rooms from top to bottom; a line is imports of one room by another</title>
  <style>
    .paper { fill: #fff; } .box { fill: #f6f8fa; stroke: #8c959f; } .bar { fill: #0969da; opacity: .35; }
    .ink { fill: #1f2328; } .quiet { fill: #59636e; font-size: 11.5px; }
    .line { stroke: #0969da; stroke-opacity: .45; fill: none; } .line:hover { stroke-opacity: 1; }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #0d1117; } .box { fill: #151b23; stroke: #656c76; } .ink { fill: #f0f6fc; } .quiet { fill: #9198a1; } .line { stroke: #4493f8; }
    }
  </style>
  <rect class="paper" width="${width}" height="${height}" rx="10"/>
  <text class="quiet" x="${boxLeft}" y="32">Rooms and their thousands of lines. The upper end of a curve imports the lower one.</text>
  <text class="quiet" x="${boxLeft}" y="52">Every room imports model and lib, which is not drawn.</text>
${lines.map(drawLine).join("\n")}
${boxes.join("\n")}
</svg>
`;
}
