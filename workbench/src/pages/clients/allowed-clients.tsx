import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useMutateOperation, useOperation } from "../../api/operations.ts";
import { useMay } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { toast, toastError } from "../../parts/toast.ts";

type Grant = AnswerOf<"grants.list">["grants"][number];

/** Clients that people let in when they signed in. Where there are none, it takes no room. */
export function AllowedClients() {
  const { data } = useOperation("grants.list", { limit: 1000 }, { enabled: useMay("admin") });
  if (data === undefined || data.grants.length === 0) return null;
  return (
    <Panel flush title="Let in by people">
      <ul className="divide-y divide-line text-sm">
        {data.grants.map((grant) => (
          <GrantLine key={grant.id} grant={grant} />
        ))}
      </ul>
    </Panel>
  );
}

function GrantLine({
  grant: { id, user, client, scopes, createdAt, lastUsedAt },
}: {
  grant: Grant;
}) {
  const revoke = useMutateOperation("grants.revoke", {
    onSuccess: () => toast(`${client.name} has to ask ${user} again.`, "neutral"),
    onError: toastError,
    changes: ["grants"],
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <div className="min-w-40 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span dir="auto" className="break-all font-medium">
            {client.name}
          </span>
          {scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
          {!client.verified && <Badge tone="warn">not verified</Badge>}
        </p>
        <p className="break-words text-xs text-muted">
          {[user, client.address].filter(Boolean).join(" · ")},{" "}
          {lastUsedAt === null ? "allowed" : "used"} <Time at={lastUsedAt ?? createdAt} />
        </p>
      </div>
      <Button
        busy={revoke.isPending}
        aria-label={`Revoke ${client.name}`}
        onClick={() => revoke.mutate({ id })}
      >
        Revoke
      </Button>
    </li>
  );
}
