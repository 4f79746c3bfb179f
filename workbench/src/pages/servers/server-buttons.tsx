import { useState } from "react";
import type { ServerStatus } from "../../../../src/model/servers/server-schema.ts";
import { Button } from "../../parts/button.tsx";
import { Plug, RefreshCw, ShieldCheck, Trash2 } from "../../parts/icons.ts";
import { EndingButton } from "./ending-button.tsx";
import { RemoveServer } from "./remove-server.tsx";
import { useServerVerb } from "./server-actions.ts";
import { SignInButton } from "./sign-in-button.tsx";
import { TrustServer } from "./trust-server.tsx";

export const isRemote = ({ transport }: Pick<ServerStatus, "transport">) =>
  transport !== "stdio" && transport !== null;

/** The actions on one server. */
export function ServerButtons({
  server: { name, state, transport, pending },
  mayManage,
}: {
  server: ServerStatus;
  mayManage: boolean;
}) {
  const verb = useServerVerb(name);
  const [isRemoving, setIsRemoving] = useState(false);
  const [isTrusting, setIsTrusting] = useState(false);
  const isUp = state === "connected" || state === "connecting";
  const isDisabled = !mayManage || ["disabled", "config_error", "untrusted"].includes(state);
  const isBusy = (action: string) => verb.isPending && verb.variables === action;
  return (
    <>
      {isRemote({ transport }) && <SignInButton server={name} />}
      {state === "untrusted" && (
        <Button
          variant="primary"
          icon={ShieldCheck}
          disabled={!mayManage}
          onClick={() => setIsTrusting(true)}
        >
          Trust
        </Button>
      )}
      {isUp ? (
        (["restart", "disconnect"] as const).map((action) => (
          <EndingButton
            key={action}
            name={name}
            verb={action}
            pending={pending}
            disabled={isDisabled}
            busy={isBusy(action)}
            onEnd={() => verb.mutate(action)}
          />
        ))
      ) : (
        <Button
          variant="primary"
          icon={Plug}
          disabled={isDisabled}
          busy={isBusy("connect")}
          onClick={() => verb.mutate("connect")}
        >
          Connect
        </Button>
      )}
      <Button
        icon={RefreshCw}
        disabled={isDisabled}
        busy={isBusy("refresh")}
        onClick={() => verb.mutate("refresh")}
      >
        Refresh
      </Button>
      <Button
        variant="quiet"
        icon={Trash2}
        disabled={!mayManage}
        onClick={() => setIsRemoving(true)}
      >
        Remove
      </Button>
      {isTrusting && <TrustServer name={name} onClose={() => setIsTrusting(false)} />}
      {isRemoving && <RemoveServer name={name} onClose={() => setIsRemoving(false)} />}
    </>
  );
}
