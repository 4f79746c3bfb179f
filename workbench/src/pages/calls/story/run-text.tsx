import { useQuery } from "@tanstack/react-query";
import { readProblem } from "../../../api/client.ts";
import { sendOperation } from "../../../api/operations.ts";
import { CodeView, CopyButton } from "../../../parts/code-view.tsx";
import { Panel } from "../../../parts/page.tsx";
import { QueryView } from "../../../parts/states.tsx";

/** The whole run as text, as `calls show` prints it: to be read, and copied into a report. */
export function RunText({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ["runs", "text", id],
    queryFn: async ({ signal }) => {
      const response = await sendOperation(
        "runs.get",
        { id },
        { signal, headers: { accept: "text/plain" } },
      );
      if (!response.ok) throw await readProblem(response);
      return response.text();
    },
  });
  return (
    <Panel
      title="The run as text"
      actions={query.data && <CopyButton text={query.data} label="Copy the whole run" />}
    >
      <QueryView query={query}>{(text) => <CodeView wrap label="the run" text={text} />}</QueryView>
    </Panel>
  );
}
