import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { shellQuote } from "../../../../src/lib/text/shell.ts";
import type { ServerStatus } from "../../../../src/model/servers/server-schema.ts";
import { beginSignIn } from "../../api/session.ts";
import { useMayChange, useServerChanges } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { LogIn, Plug, RefreshCw, ShieldCheck, Trash2 } from "../../parts/icons.ts";
import { toast, toastError } from "../../parts/toast.ts";
import { useRemoval } from "../../parts/use-removal.ts";
import { EndingButton } from "./ending-button.tsx";
import { ProveFirst } from "./prove-first.tsx";
import { useServerVerb } from "./server-actions.ts";
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

/** Removes a server from the configuration, after confirmation. */
function RemoveServer({ name, onClose }: { name: string; onClose: () => void }) {
  const navigate = useNavigate();
  const may = useServerChanges();
  const removal = useRemoval("servers", () => void navigate({ to: "/servers" }));
  if (may !== "allowed")
    return (
      <Dialog open onClose={onClose} title={`Remove ${name}`}>
        <ProveFirst command={`toolplane servers remove ${shellQuote(name)}`}>{null}</ProveFirst>
      </Dialog>
    );
  return (
    <Confirm
      open
      title={`Remove ${name}?`}
      action="Remove"
      busy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate([name])}
      onClose={onClose}
    >
      <p>
        Removes its entry from the configuration file, ends its sessions and removes its tools from
        the catalogue. Call records stay. You can undo it for a moment.
      </p>
    </Confirm>
  );
}

/** Opens the authorization server in a new tab; it redirects to the plane, not to this page. */
function SignInButton({ server }: { server: string }) {
  const mayCall = useMayChange("call");
  const begin = useMutation({
    mutationFn: () => beginSignIn(server),
    onSuccess({ url }) {
      // The URL comes from the server: open web addresses only.
      if (!/^https?:\/\//i.test(url))
        return toast("The server's sign-in address is not an http or https URL.", "bad");
      window.open(url, "_blank", "noopener,noreferrer");
      toast("Sign in in the new tab, then connect here.", "neutral");
    },
    onError: toastError,
  });
  return (
    <Button icon={LogIn} disabled={!mayCall} busy={begin.isPending} onClick={() => begin.mutate()}>
      Sign in
    </Button>
  );
}
