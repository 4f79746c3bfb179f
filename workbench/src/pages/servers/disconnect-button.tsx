import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Unplug } from "../../parts/icons.ts";
import { counted } from "../../parts/time.tsx";

type DisconnectButtonProps = {
  name: string;
  /** Requests that wait for its answer. */
  pending: number;
  disabled: boolean;
  busy: boolean;
  onDisconnect: () => void;
};

/** Asks only where somebody would lose something by it. */
export function DisconnectButton({ name, pending, disabled, busy, onDisconnect }: DisconnectButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button
        icon={Unplug}
        disabled={disabled}
        busy={busy}
        onClick={() => (pending > 0 ? setAsking(true) : onDisconnect())}
      >
        Disconnect
      </Button>
      <Confirm
        open={isAsking}
        title={`Disconnect ${name}?`}
        action="Disconnect"
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          onDisconnect();
        }}
      >
        <p>
          {counted(pending, "request waits", "requests wait")} for its answer, and would fail. It stays away until
          somebody connects it again.
        </p>
      </Confirm>
    </>
  );
}
