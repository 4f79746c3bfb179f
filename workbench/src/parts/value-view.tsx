import { useMemo } from "react";
import { Braces, type IconType, TableProperties } from "./icons.ts";
import { JsonView } from "./json-view.tsx";
import { rowsIn } from "./result-rows.ts";
import { ResultTable } from "./result-table.tsx";
import { Views } from "./views.tsx";

/** A value: a table where it has rows, a tree otherwise or on demand. */
export function ValueView({ value, label }: { value: unknown; label: string }) {
  const table = useMemo(() => rowsIn(value), [value]);
  const tree = {
    name: "Tree",
    icon: Braces as IconType,
    show: () => <JsonView value={value} label={label} />,
  };
  if (table === null) return tree.show();
  return (
    <Views
      label={`How to show ${label}`}
      views={[
        {
          name: "Table",
          icon: TableProperties as IconType,
          show: () => <ResultTable table={table} />,
        },
        tree,
      ]}
    />
  );
}
