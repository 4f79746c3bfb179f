import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { RotateCcw, Unplug } from "../../parts/icons.ts";
import { counted } from "../../parts/time.tsx";

type EndingButtonProps = {
  name: string;
  verb: keyof typeof endings;
  /** Pending requests. */
  pending: number;
  disabled: boolean;
  busy: boolean;
  onEnd: () => void;
};

const endings = {
  disconnect: {
    label: "Disconnect",
    icon: Unplug,
    what: "The server stays disconnected until you connect it again.",
  },
  restart: {
    label: "Restart",
    icon: RotateCcw,
    what: "Calls that come meanwhile wait for the new process.",
  },
} as const;

/** Confirms only if requests would fail. */
export function EndingButton({ name, verb, pending, disabled, busy, onEnd }: EndingButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const { label, icon, what } = endings[verb];
  return (
    <>
      <Button
        icon={icon}
        disabled={disabled}
        busy={busy}
        onClick={() => (pending > 0 ? setAsking(true) : onEnd())}
      >
        {label}
      </Button>
      <Confirm
        open={isAsking}
        title={`${label} ${name}?`}
        action={label}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          onEnd();
        }}
      >
        <p>
          {counted(pending, "pending request", "pending requests")} will fail. {what}
        </p>
      </Confirm>
    </>
  );
}
