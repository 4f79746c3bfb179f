import { useState } from "react";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useMutateOperation, useOperation } from "../../api/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { GrowingList } from "../../parts/growing-list.tsx";
import { UserPlus, Users } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.ts";
import { InvitePerson } from "./invite-person.tsx";

type Person = AnswerOf<"people.list">["people"][number];

/** Who can sign in with a browser, where the plane signs people in. */
export function People() {
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Person | null>(null);
  return (
    <Panel
      flush
      title="People who sign in"
      actions={
        <Button variant="primary" icon={UserPlus} onClick={() => setInviting(true)}>
          Invite
        </Button>
      }
    >
      <QueryView query={useOperation("people.list", { limit: 1000 })}>
        {({ people }) =>
          people.length === 0 ? (
            <Empty icon={Users} title="Nobody was invited yet">
              An invitation is a link. Behind it a person makes a passkey or a password, and signs
              in with it.
            </Empty>
          ) : (
            <GrowingList
              className="divide-y divide-line text-sm"
              atOnce={50}
              items={people}
              keyOf={({ user }) => user}
            >
              {(person) => <PersonLine person={person} onRemove={() => setRemoving(person)} />}
            </GrowingList>
          )
        }
      </QueryView>
      {inviting && <InvitePerson onClose={() => setInviting(false)} />}
      {removing && <RemovePerson user={removing.user} onClose={() => setRemoving(null)} />}
    </Panel>
  );
}

function PersonLine({ person, onRemove }: { person: Person; onRemove: () => void }) {
  const { user, groups, persona, scopes } = person;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
      <div className="min-w-40 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="break-all font-medium">{user}</span>
          {scopes.map((scope) => (
            <Badge key={scope} tone={scope === "admin" || scope === "*" ? "warn" : "neutral"}>
              {scope}
            </Badge>
          ))}
        </p>
        <p className="break-words text-xs text-muted">
          {[...groups, persona && `persona ${persona}`, ...signInMethods(person)]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      <p className="text-xs text-muted sm:text-right">
        <SignInState person={person} />
      </p>
      <Button onClick={onRemove} aria-label={`Remove ${user}`}>
        Remove
      </Button>
    </div>
  );
}

function SignInState({ person: { lastSignInAt, invitedUntil } }: { person: Person }) {
  if (lastSignInAt !== null)
    return (
      <>
        signed in <Time at={lastSignInAt} />
      </>
    );
  if (invitedUntil === null) return "never signed in";
  return (
    <>
      the invitation ends <Time at={invitedUntil} />
    </>
  );
}

function signInMethods({ source, passkeys, hasPassword }: Person): string[] {
  return [
    source === "provider" ? "at your provider" : "",
    passkeys > 0 ? "with a passkey" : "",
    hasPassword ? "with a password" : "",
  ].filter((method) => method !== "");
}

function RemovePerson({ user, onClose }: { user: string; onClose: () => void }) {
  const remove = useMutateOperation("people.remove", {
    onSuccess() {
      toast(`${user} is removed.`, "neutral");
      onClose();
    },
    changes: ["people", "grants", "users"],
  });
  return (
    <Confirm
      open
      title={`Remove ${user}?`}
      action="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ user })}
      onClose={onClose}
    >
      <p>
        They cannot sign in any more, and clients lose what they may do for them. You can invite
        them again.
      </p>
    </Confirm>
  );
}
