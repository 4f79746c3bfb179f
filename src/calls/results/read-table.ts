type Table = { columns: string[]; rows: number };

/** So many rows have to agree before something is called a table. */
const agreeing = 20;
const fewestRows = 3;
const maxColumns = 60;
const separators = ["\t", ",", ";", "|"];

/** The columns of the first line, and how many rows follow it; null where the lines do not agree on them. */
export function readTable(text: string): Table | null {
  for (const separator of separators) {
    const rows = firstRows(text, separator);
    const [head = []] = rows;
    if (rows.length < fewestRows || head.length < 2) continue;
    if (head.some((name) => name.trim() === "" || name.length > 200)) continue;
    if (rows.every((row) => row.length === head.length))
      return { columns: head.slice(0, maxColumns).map((name) => name.trim()), rows: countRows(text) - 1 };
  }
  return null;
}

function firstRows(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (const character of text.slice(0, 200_000)) {
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) cell += character;
    else if (character === separator) {
      row.push(cell);
      cell = "";
    } else if (character === "\n") {
      rows.push([...row, cell.replace(/\r$/, "")]);
      row = [];
      cell = "";
      if (rows.length === agreeing) return rows;
    } else cell += character;
  }
  if (row.length > 0 || cell !== "") rows.push([...row, cell]);
  return rows;
}

/** Line breaks within quotes end no row. */
function countRows(text: string): number {
  let rows = 0;
  let isQuoted = false;
  let isInside = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) isQuoted = !isQuoted;
    if (code === 10 && !isQuoted) {
      rows += 1;
      isInside = false;
    } else isInside = true;
  }
  return isInside ? rows + 1 : rows;
}
