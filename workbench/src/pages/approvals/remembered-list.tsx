import type { RememberedApproval } from "../../../../src/model/calls/held-schema.ts";
import { useMutateOperation, useOperation } from "../../api/operations.ts";
import { Button } from "../../parts/button.tsx";
import { GrowingList } from "../../parts/growing-list.tsx";
import { Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toastError } from "../../parts/toast.ts";

/** Approvals that cover more than one call. */
export function RememberedList() {
  const query = useOperation("approvals.remembered", { limit: 1000 });
  const forget = useMutateOperation("approvals.forget", { changes: ["approvals"] });
  return (
    <QueryView query={query}>
      {({ remembered }) =>
        remembered.length === 0 ? (
          <Empty title="No remembered approvals">
            You can approve a tool or a server for a period.
          </Empty>
        ) : (
          <Panel flush className="max-w-3xl">
            <GrowingList
              className="divide-y divide-line text-sm"
              atOnce={50}
              items={remembered}
              keyOf={({ id }) => id}
            >
              {(approval) => (
                <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-2.5">
                  <div className="min-w-0">
                    <p className="break-words">{describe(approval)}</p>
                    <p className="text-xs text-muted">
                      approved <Time at={approval.createdAt} />,{" "}
                      {approval.expiresAt === null ? (
                        "no expiry"
                      ) : (
                        <>
                          ends <Time at={approval.expiresAt} />
                        </>
                      )}
                    </p>
                  </div>
                  <Button
                    disabled={forget.isPending}
                    onClick={() => forget.mutate({ id: approval.id }, { onError: toastError })}
                  >
                    Ask again
                  </Button>
                </div>
              )}
            </GrowingList>
          </Panel>
        )
      }
    </QueryView>
  );
}

function describe({
  tool,
  server,
  arguments: globs,
  argumentsHash,
  conversation,
}: RememberedApproval): string {
  const subject = tool ?? (server === null ? "every tool" : `every tool of ${server}`);
  const globTexts = Object.entries(globs).map(([name, glob]) => `${name} like ${glob}`);
  const condition = argumentsHash === null ? globTexts.join(", ") : "exactly the same arguments";
  return [
    subject,
    condition === "" ? "" : `with ${condition}`,
    conversation === null ? "" : "in one conversation",
  ]
    .filter((part) => part !== "")
    .join(" ");
}
