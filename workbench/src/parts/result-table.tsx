import { useMemo, useState } from "react";
import { withoutUndefined } from "../../../src/lib/json/plain-data.ts";
import type { UnknownObject } from "../../../src/model/json.ts";
import { ExactNumber } from "../api/exact-json.ts";
import { CopyButton } from "./code-view.tsx";
import { DataTable } from "./data-table.tsx";
import { Dialog } from "./dialog.tsx";
import { JsonView } from "./json-view.tsx";
import { type ResultRows, renderCsv, renderMarkdownTable } from "./result-rows.ts";
import { SearchBox } from "./search-box.tsx";
import { type Column, textOf, useTableModel } from "./table-model.ts";
import { renderCount } from "./time.tsx";
import { VisibleText } from "./visible-text.tsx";

/** Longer cells are cut; the row shows them whole. */
const maxCell = 300;
const rowHeight = 36;
const maxRows = 14;

/** Rows that are sorted by their head, filtered by words and copied. A row opens whole. */
export function ResultTable({ table: { rows, names, siblings } }: { table: ResultRows }) {
  const [filterText, setFilterText] = useState("");
  const [opened, setOpened] = useState<UnknownObject | null>(null);
  const columns = useMemo(() => names.map((name) => columnOf(name, rows)), [names, rows]);
  const { rows: shownRows, sort, onSort } = useTableModel({ columns, rows, filterText });
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {siblings !== null && <Siblings of={siblings} />}
      <div className="flex flex-wrap items-center gap-1">
        <SearchBox
          label="Filter the rows"
          value={filterText}
          onChange={setFilterText}
          matchCount={shownRows.length}
          totalCount={rows.length}
        />
        <span className="mr-auto text-xs tabular-nums text-muted">
          {filterText === "" && `${renderCount(rows.length)} rows`}
        </span>
        <CopyButton isNamed label="Copy as CSV" text={() => renderCsv(shownRows, names)} />
        <CopyButton
          isNamed
          label="Copy as Markdown"
          text={() => renderMarkdownTable(shownRows, names)}
        />
      </div>
      <div className="flex min-h-0 flex-col" style={{ maxHeight: (maxRows + 1) * rowHeight }}>
        <DataTable
          label="Rows"
          columns={columns}
          isWide
          rows={shownRows}
          rowHeight={rowHeight}
          sort={sort}
          {...withoutUndefined({ onSort })}
          onOpen={setOpened}
          question={filterText}
          empty={<p className="p-4 text-sm text-muted">No row has these words.</p>}
        />
      </div>
      {opened !== null && (
        <Dialog side open onClose={() => setOpened(null)} title="Row">
          <JsonView value={opened} label="the row" />
        </Dialog>
      )}
    </div>
  );
}

/** What stood beside the list. */
function Siblings({ of }: { of: UnknownObject }) {
  return (
    <dl className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {Object.entries(of).map(([name, value]) => (
        <div key={name} className="flex gap-1.5">
          <dt className="text-muted">
            <VisibleText text={name} />
          </dt>
          <dd className="min-w-0 break-words font-medium">
            <VisibleText text={textOf(value).slice(0, maxCell)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const isNumeric = (value: unknown) => typeof value === "number" || value instanceof ExactNumber;

function columnOf(name: string, rows: readonly UnknownObject[]): Column<UnknownObject> {
  const sample = rows.slice(0, 50).map((row) => row[name]);
  const presentValues = sample.filter((value) => value !== null && value !== undefined);
  const isNumber = presentValues.length > 0 && presentValues.every(isNumeric);
  const maxLength = Math.max(name.length, ...sample.map((value) => textOf(value).length));
  const minWidth = Math.min(Math.max(maxLength * 8, 72), 280);
  const column: Column<UnknownObject> = {
    title: name,
    sort: name,
    value: (row) => row[name],
    width: `minmax(${minWidth}px, ${Math.max(1, Math.min(maxLength, 60))}fr)`,
    render: (row) => <VisibleText text={textOf(row[name]).slice(0, maxCell)} />,
  };
  if (!isNumber) return column;
  return { ...column, width: `${minWidth}px`, align: "right" };
}
