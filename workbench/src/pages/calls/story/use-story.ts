import { queryOptions, useQuery } from "@tanstack/react-query";
import type { AgentRun } from "../../../../../src/model/agent/run-schema.ts";
import { codeToolNames } from "../../../../../src/model/catalogue/meta-tools.ts";
import { callOperation, useOperation } from "../../../api/operations.ts";
import { isProgramRun } from "../program.tsx";
import type { CallRecords, Programs } from "./run-spans.ts";

const maxCalls = 1_000;
const maxPrograms = 20;

/** The records of the calls of a run, by id. */
export function useRecords(run: string): CallRecords & ReadonlyMap<string, { error?: unknown }> {
  const calls = useOperation("calls.list", { run, limit: maxCalls }).data?.calls ?? [];
  return new Map(calls.map((call) => [call.id, call]));
}

/** Programs that a run has made are runs of their own: each began while its call was under way. */
const programsQuery = ({ id, conversation, at: since }: AgentRun) =>
  queryOptions({
    queryKey: ["runs", "programs", id],
    queryFn: async ({ signal }) => {
      const { runs } = await callOperation(
        "runs.page",
        { conversation, since, limit: 100 },
        { signal },
      );
      const programRuns = runs.filter((run) => isProgramRun(run)).slice(0, maxPrograms);
      return Promise.all(
        programRuns.map((run) => callOperation("runs.get", { id: run.id }, { signal })),
      );
    },
  });

/** The programs of a run, by the id of the call that ran each. */
export function usePrograms(run: AgentRun): Programs {
  const programCalls = run.steps
    .flatMap(({ calls }) => calls)
    .filter(({ tool }) => tool === codeToolNames.run);
  const programRuns =
    useQuery({ ...programsQuery(run), enabled: programCalls.length > 0 && !isProgramRun(run) })
      .data ?? [];
  return new Map(
    programCalls.flatMap((call) => {
      const startedAt = Date.parse(call.at ?? run.at);
      const program = programRuns.find(
        ({ at }) =>
          Date.parse(at) >= startedAt && Date.parse(at) <= startedAt + call.durationMs + 1,
      );
      return program ? [[call.id, program] as const] : [];
    }),
  );
}
