import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { callOperation, useOperation } from "../../api/operations.ts";
import type { ApiKey } from "../../api/queries.ts";
import { useNeedsCredentials, useWhyNot } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { GrowingList } from "../../parts/growing-list.tsx";
import { KeyRound, Plus } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.ts";
import { CreateKey } from "./create-key.tsx";

/** API keys. A secret is shown once, on creation. */
export function Keys({ user }: { user: string | undefined }) {
  const [creating, setCreating] = useState<"first" | "another" | null>(null);
  const needsCredentials = useNeedsCredentials();
  return (
    <Panel
      flush
      title={user === undefined ? "API keys" : `API keys of ${user}`}
      actions={
        <>
          {user !== undefined && (
            <Link
              to="/users"
              search={{ view: "keys" }}
              className="text-sm text-accent hover:underline"
            >
              Show all
            </Link>
          )}
          {needsCredentials && (
            <Button variant="primary" icon={Plus} onClick={() => setCreating("another")}>
              Create key
            </Button>
          )}
        </>
      }
    >
      <QueryView query={useOperation("keys.list", { limit: 1000 })}>
        {({ keys }) => {
          const shownKeys = keys.filter((key) => user === undefined || key.user === user);
          if (shownKeys.length > 0) return <KeyList keys={shownKeys} />;
          return user === undefined && !needsCredentials ? (
            <NoKeys onCreate={() => setCreating("first")} />
          ) : (
            <Empty icon={KeyRound} title={user === undefined ? "No keys" : `${user} has no keys`} />
          );
        }}
      </QueryView>
      {creating && (
        <CreateKey
          user={user ?? ""}
          isFirst={creating === "first"}
          onClose={() => setCreating(null)}
        />
      )}
    </Panel>
  );
}

function NoKeys({ onCreate }: { onCreate: () => void }) {
  return (
    <Empty
      icon={KeyRound}
      title="Nobody needs a key yet"
      action={
        <Button variant="primary" icon={Plus} whyNot={useWhyNot("admin")} onClick={onCreate}>
          Create the first key
        </Button>
      }
    >
      Programs of this machine call tools without one. To let colleagues in, give each a key; from
      the first one on, every client needs one.
    </Empty>
  );
}

function KeyList({ keys }: { keys: readonly ApiKey[] }) {
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <>
      <GrowingList
        className="divide-y divide-line text-sm"
        atOnce={50}
        items={keys}
        keyOf={({ id }) => id}
      >
        {(key) => <KeyLine apiKey={key} onRevoke={() => setRevoking(key)} />}
      </GrowingList>
      {revoking && <Revoke apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

function KeyLine({ apiKey: key, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  const isOver = key.expiresAt !== null && Date.parse(key.expiresAt) < Date.now();
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
      <div className="min-w-40 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="break-all font-medium">{key.name}</span>
          {key.scopes.map((scope) => (
            <Badge key={scope} tone={scope === "admin" || scope === "*" ? "warn" : "neutral"}>
              {scope}
            </Badge>
          ))}
        </p>
        <p className="break-words text-xs text-muted">
          {[key.user, ...key.groups, key.persona && `persona ${key.persona}`, key.workspace]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      <p className="text-xs text-muted sm:text-right">
        created <Time at={key.createdAt} />,{" "}
        {key.lastUsedAt === null ? (
          "never used"
        ) : (
          <>
            used <Time at={key.lastUsedAt} />
          </>
        )}
        <br />
        {key.expiresAt === null ? (
          "does not expire"
        ) : (
          <>
            {isOver ? "expired" : "expires"} <Time at={key.expiresAt} />
          </>
        )}
      </p>
      {key.revokedAt === null ? (
        <Button onClick={onRevoke}>Revoke</Button>
      ) : (
        <Badge>
          revoked <Time at={key.revokedAt} />
        </Badge>
      )}
    </div>
  );
}

function Revoke({ apiKey: { id, name, user }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => callOperation("keys.revoke", { id }),
    onSuccess() {
      toast(`${name} is revoked.`, "neutral");
      onClose();
    },
    onSettled: () => {
      for (const topic of ["keys", "users", "personas"])
        void client.invalidateQueries({ queryKey: [topic] });
    },
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
        Clients that use this key ({user}) are refused from now on. This cannot be undone. If it is
        your key, you are signed out.
      </p>
    </Confirm>
  );
}
