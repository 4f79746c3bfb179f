import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Unplug } from "../../parts/icons.ts";
import { counted } from "../../parts/time.tsx";

type DisconnectButtonProps = {
  name: string;
  /** Pending requests. */
  pending: number;
  disabled: boolean;
  busy: boolean;
  onDisconnect: () => void;
};

/** Confirms only if requests would fail. */
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
          {counted(pending, "pending request", "pending requests")} will fail. The server stays disconnected until you
          connect it again.
        </p>
      </Confirm>
    </>
  );
}
