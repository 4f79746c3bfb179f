import { useMutation } from "@tanstack/react-query";
import type { CallsAnswer } from "../../api/answers.ts";
import { get, withQuery } from "../../api/client.ts";
import type { CallFilter } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Download } from "../../parts/icons.ts";
import { counted } from "../../parts/time.tsx";
import { toast, toastError } from "../../parts/toast.tsx";

/** Enough to look at elsewhere; more is for the command line. */
const maxCalls = 5_000;
const pageSize = 500;

/** The calls that the filter shows as JSON lines, with their payloads where they are kept. */
export function ExportCalls({ filter }: { filter: CallFilter }) {
  const save = useMutation({
    async mutationFn() {
      const lines: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null && lines.length < maxCalls) {
        const query = withQuery("/calls", { ...filter, payloads: true, limit: pageSize, cursor });
        const page: CallsAnswer = await get<CallsAnswer>(query);
        lines.push(...page.calls.map((call) => JSON.stringify(call)));
        cursor = page.nextCursor;
      }
      return lines;
    },
    onSuccess(lines) {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "application/x-ndjson" }));
      link.download = `calls-${new Date().toISOString().slice(0, 10)}.jsonl`;
      link.click();
      URL.revokeObjectURL(link.href);
      toast(`${counted(lines.length, "call")} saved.`);
    },
    onError: toastError,
  });
  return (
    <Button icon={Download} busy={save.isPending} onClick={() => save.mutate()}>
      Export
    </Button>
  );
}
