import { isObject, type UnknownObject } from "../../../../src/model/json.ts";
import { ResultView } from "../../parts/result-view.tsx";

type AnswerViewProps = { answer: unknown; columns: Readonly<Record<string, string>> | null };

/** A list with titles as a table; everything else as the result of a tool. */
export function AnswerView({ answer, columns }: AnswerViewProps) {
  const rows = columns === null ? null : rowsOf(answer);
  if (columns !== null && rows !== null) return <Rows rows={rows} columns={columns} />;
  if (answer === null) return <p className="text-sm text-good">Done.</p>;
  const isText = typeof answer === "string";
  const content = isText ? [{ type: "text", text: answer }] : [];
  return (
    <ResultView
      outcome={{ result: { content, ...(!isText && { structuredContent: answer }) } as never }}
    />
  );
}

/** The answer itself, or the only list in it. */
function rowsOf(answer: unknown): UnknownObject[] | null {
  const lists = isObject(answer) ? Object.values(answer).filter(Array.isArray) : [answer];
  const [list] = lists;
  return lists.length === 1 && Array.isArray(list) && list.every(isObject) ? list : null;
}

function Rows({
  rows,
  columns,
}: {
  rows: readonly UnknownObject[];
  columns: Readonly<Record<string, string>>;
}) {
  const fields = Object.entries(columns);
  if (rows.length === 0) return <p className="text-sm text-muted">None.</p>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: as a region it would be a landmark
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
      tabIndex={0}
      aria-label="Result"
      className="max-h-[50vh] overflow-auto rounded-md border border-line"
    >
      <table className="w-full text-left text-sm">
        <thead>
          <tr>
            {fields.map(([field, title]) => (
              <th key={field} scope="col" className="px-3 py-1.5 text-xs font-medium text-muted">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id and keep their order
            <tr key={index} className="border-t border-line/70">
              {fields.map(([field]) => (
                <td key={field} className="break-words px-3 py-1.5">
                  {textOf(row[field])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
