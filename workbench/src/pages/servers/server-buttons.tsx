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
  const [removing, setRemoving] = useState(false);
  const [trusting, setTrusting] = useState(false);
  const isUp = state === "connected" || state === "connecting";
  const cannot = !mayManage || ["disabled", "config_error", "untrusted"].includes(state);
  const isBusy = (one: string) => verb.isPending && verb.variables === one;
  return (
    <>
      {isRemote({ transport }) && <SignInButton server={name} />}
      {state === "untrusted" && (
        <Button
          variant="primary"
          icon={ShieldCheck}
          disabled={!mayManage}
          onClick={() => setTrusting(true)}
        >
          Trust
        </Button>
      )}
      {isUp ? (
        (["restart", "disconnect"] as const).map((one) => (
          <EndingButton
            key={one}
            name={name}
            verb={one}
            pending={pending}
            disabled={cannot}
            busy={isBusy(one)}
            onEnd={() => verb.mutate(one)}
          />
        ))
      ) : (
        <Button
          variant="primary"
          icon={Plug}
          disabled={cannot}
          busy={isBusy("connect")}
          onClick={() => verb.mutate("connect")}
        >
          Connect
        </Button>
      )}
      <Button
        icon={RefreshCw}
        disabled={cannot}
        busy={isBusy("refresh")}
        onClick={() => verb.mutate("refresh")}
      >
        Refresh
      </Button>
      <Button variant="quiet" icon={Trash2} disabled={!mayManage} onClick={() => setRemoving(true)}>
        Remove
      </Button>
      {trusting && <TrustServer name={name} onClose={() => setTrusting(false)} />}
      {removing && <RemoveServer name={name} onClose={() => setRemoving(false)} />}
    </>
  );
}
