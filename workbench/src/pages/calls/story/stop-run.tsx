import { useMutateOperation } from "../../../api/operations.ts";
import { Button } from "../../../parts/button.tsx";
import { CircleStop } from "../../../parts/icons.ts";
import { toastError } from "../../../parts/toast.ts";

/** Ends a run; what it did stays in its record. */
export function StopRun({ id, name = "Stop" }: { id: string; name?: string }) {
  const stop = useMutateOperation("runs.stop", { changes: ["agents"], onError: toastError });
  return (
    <Button
      icon={CircleStop}
      busy={stop.isPending || stop.isSuccess}
      {...(name !== "Stop" && { "aria-label": name })}
      onClick={() => stop.mutate({ id })}
    >
      Stop
    </Button>
  );
}
