import { useDeferredValue, useState } from "react";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useOperation } from "../../api/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextInput } from "../../parts/field.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";

type ConfigAnswer = AnswerOf<"config.show">;
type Value = ConfigAnswer["values"][number];

const columnsFor = (onOpen: (value: Value) => void): readonly Column<Value>[] => [
  {
    title: "Key",
    width: "minmax(140px, 2fr)",
    render: (value) => (
      <button
        type="button"
        className="max-w-full truncate font-mono text-xs hover:underline"
        onClick={() => onOpen(value)}
      >
        {value.key}
      </button>
    ),
  },
  {
    title: "Value",
    width: "minmax(100px, 2fr)",
    render: ({ value }) => (
      <code className="font-mono text-xs text-muted">{JSON.stringify(value)}</code>
    ),
  },
  {
    title: "From",
    width: "minmax(100px, 160px)",
    wide: true,
    render: renderPlace,
  },
];

function renderPlace({ file, line }: Pick<Value, "file" | "line">): string {
  return line === null ? file : `${file}:${line}`;
}

/** Values with their file and line, and problems. The plane masks secrets. */
export function ConfigView() {
  return (
    <QueryView query={useOperation("config.show", {})}>
      {(config) => (
        <div className="flex flex-col gap-3">
          <Problems config={config} />
          <Values values={config.values} />
        </div>
      )}
    </QueryView>
  );
}

function Problems({ config: { problems, files, ok } }: { config: ConfigAnswer }) {
  return (
    <Panel
      title={`Read from ${files.join(", ") || "no file"}`}
      actions={<Badge tone={ok ? "good" : "bad"}>{ok ? "valid" : "has errors"}</Badge>}
    >
      {problems.length === 0 ? (
        <p className="text-sm text-muted">No problems. Changes to the files apply at once.</p>
      ) : (
        <ul className="flex flex-col gap-2 text-sm">
          {problems.map(({ file, line, severity, message, hint }) => (
            <li key={`${file} ${line} ${message}`} className="break-words">
              <Badge tone={severity === "error" ? "bad" : "warn"}>{severity}</Badge>{" "}
              <span className="font-mono text-xs text-muted">
                {line === null ? file : `${file}:${line}`}
              </span>{" "}
              {message}
              {hint && <p className="text-xs text-muted">{hint}</p>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Values({ values }: { values: readonly Value[] }) {
  const [query, setQuery] = useState("");
  const deferredQuery = useDeferredValue(query.trim().toLowerCase());
  const [openValue, setOpenValue] = useState<Value | null>(null);
  const rows = values.filter(({ key }) => key.toLowerCase().includes(deferredQuery));
  return (
    <div className="flex h-[calc(100dvh-280px)] min-h-72 flex-col gap-2">
      <TextInput
        aria-label="Find a key"
        placeholder="Find a key"
        className="w-72! shrink-0"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <DataTable
        label="Configuration values"
        columns={columnsFor(setOpenValue)}
        rows={rows}
        rowHeight={34}
        onOpen={setOpenValue}
        keyOf={({ key }) => key}
        empty={<Empty title={values.length === 0 ? "No values" : "No keys match"} />}
      />
      {openValue && (
        <Dialog open wide onClose={() => setOpenValue(null)} title={openValue.key}>
          <p className="mb-2 text-sm text-muted">{renderPlace(openValue)}</p>
          <JsonView value={openValue.value} />
        </Dialog>
      )}
    </div>
  );
}
