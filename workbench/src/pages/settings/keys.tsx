import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKey } from "../../api/answers.ts";
import { part, remove } from "../../api/client.ts";
import { keysQuery } from "../../api/queries.ts";
import { useNeedsCredentials } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { GrowingList } from "../../parts/growing-list.tsx";
import { KeyRound, Plus } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { CreateKey } from "./create-key.tsx";

/** API keys. A secret is shown once, on creation. */
export function Keys() {
  const [creating, setCreating] = useState(false);
  const needsCredentials = useNeedsCredentials();
  return (
    <Panel
      flush
      title="API keys"
      actions={
        needsCredentials && (
          <Button variant="primary" icon={Plus} onClick={() => setCreating(true)}>
            Create key
          </Button>
        )
      }
    >
      <QueryView query={useQuery(keysQuery())}>
        {({ keys }) => (keys.length === 0 ? <NoKeys /> : <KeyList keys={keys} />)}
      </QueryView>
      {creating && <CreateKey onClose={() => setCreating(false)} />}
    </Panel>
  );
}

function NoKeys() {
  return (
    <Empty icon={KeyRound} title="No keys">
      <p className="mb-3">
        Without keys, local users need no credentials. Create the first key on this machine; from then on every client
        needs one, this page too.
      </p>
      <CodeView label="command" text="toolplane keys create laptop --scope admin" />
    </Empty>
  );
}

function KeyList({ keys }: { keys: readonly ApiKey[] }) {
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <>
      <GrowingList className="divide-y divide-line text-[13px]" atOnce={50} items={keys} keyOf={({ id }) => id}>
        {(key) => (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
            <span className="min-w-32 break-all font-medium">{key.name}</span>
            <span className="text-muted">{key.user}</span>
            {key.scopes.map((scope) => (
              <Badge key={scope} tone={scope === "admin" ? "warn" : "neutral"}>
                {scope}
              </Badge>
            ))}
            <span className="ml-auto text-muted">
              {key.lastUsedAt === null ? (
                "never used"
              ) : (
                <>
                  used <Time at={key.lastUsedAt} />
                </>
              )}
              {key.expiresAt !== null && (
                <>
                  , expires <Time at={key.expiresAt} />
                </>
              )}
            </span>
            {key.revokedAt === null ? <Button onClick={() => setRevoking(key)}>Revoke</Button> : <Badge>revoked</Badge>}
          </div>
        )}
      </GrowingList>
      {revoking && <Revoke apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function Revoke({ apiKey: { id, name, user }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => remove(`/keys/${part(id)}`),
    onSuccess() {
      toast(`${name} is revoked.`, "neutral");
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["keys"] }),
  });
  return (
    <Confirm
      open
      title={`Revoke ${name}?`}
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>
        Clients that use this key ({user}) are refused from now on. This cannot be undone. If it is your key, you are
        signed out.
      </p>
    </Confirm>
  );
}
