import { useMutation } from "@tanstack/react-query";
import type { InputOf } from "../../../../src/operations/operations.ts";
import { readProblem } from "../../api/client.ts";
import { sendOperation } from "../../api/operations.ts";
import type { CallFilter } from "../../api/queries.ts";
import { Select } from "../../parts/field.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { renderBytes } from "../../parts/time.tsx";
import { toast, toastError } from "../../parts/toast.ts";

type Format = NonNullable<InputOf<"calls.export">["format"]>;

/** The browser holds the file until it is saved; more is for the command line. */
const maxCalls = 100_000;

/** The calls that the filter shows as a file, with their payloads where they are kept. */
export function ExportCalls({ filter }: { filter: CallFilter }) {
  const save = useMutation({
    async mutationFn(format: Format) {
      const response = await sendOperation("calls.export", { ...filter, format, limit: maxCalls });
      if (!response.ok) throw await readProblem(response);
      return { format, file: await response.blob() };
    },
    onSuccess({ format, file }) {
      const name = `calls-${new Date().toISOString().slice(0, 10)}.${format}`;
      saveFile(file, name);
      toast(`Saved as ${name}, ${renderBytes(file.size)}.`);
    },
    onError: toastError,
  });
  return (
    <Select
      aria-label="Export these calls"
      className="w-28!"
      value=""
      disabled={save.isPending}
      onChange={({ target }) => save.mutate(target.value as Format)}
      options={[
        { value: "", text: save.isPending ? "Exporting …" : "Export …" },
        { value: "jsonl", text: "As JSON lines" },
        { value: "har", text: "As HAR" },
      ]}
    />
  );
}
