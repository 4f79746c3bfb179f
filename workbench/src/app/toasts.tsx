import { Toast } from "@base-ui/react/toast";
import { useEffect } from "react";
import { IconButton } from "../parts/button.tsx";
import { classes } from "../parts/class-names.ts";
import { CircleAlert, CircleCheck, X } from "../parts/icons.ts";
import { type Notice, takeNotices } from "../parts/toast.ts";

/** Long enough to read; errors stay until dismissed. */
const shownMs = 5_000;
/** Long enough to decide. */
const withActionMs = 20_000;
const maxAtOnce = 4;

const manager = Toast.createToastManager<Notice>();

function timeoutOf({ tone, action }: Notice): number {
  if (tone === "bad") return 0;
  return action ? withActionMs : shownMs;
}

/** Notices in the corner, the newest below. F6 goes to them. */
export function Toasts() {
  useEffect(
    () =>
      takeNotices((notice) => {
        const { tone, text } = notice;

        manager.add({
          title: text,
          data: notice,
          timeout: timeoutOf(notice),
          priority: tone === "bad" ? "high" : "low",
        });
      }),
    [],
  );
  return (
    <Toast.Provider toastManager={manager} limit={maxAtOnce}>
      <Toast.Portal>
        <Toast.Viewport className="pointer-events-none fixed inset-x-3 bottom-16 z-50 flex flex-col items-end gap-2 md:bottom-4">
          <ShownToasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

const looks = { good: "text-good", bad: "text-bad", neutral: "text-muted" } as const;

function ShownToasts() {
  const { toasts } = Toast.useToastManager<Notice>();
  return toasts.toReversed().map((shownToast) => {
    const { tone = "neutral", action } = shownToast.data ?? {};
    const Icon = tone === "bad" ? CircleAlert : CircleCheck;
    return (
      <Toast.Root
        key={shownToast.id}
        toast={shownToast}
        swipeDirection={["right", "down"]}
        className="appear pointer-events-auto max-w-md rounded-lg bg-raise text-sm shadow-float data-limited:hidden"
      >
        <Toast.Content className="flex items-start gap-2 py-1.5 pl-3 pr-1.5">
          <Icon aria-hidden className={classes("mt-2 size-4 shrink-0", looks[tone])} />
          <Toast.Title
            render={<p />}
            className={classes("min-w-0 break-words py-1.5", tone === "bad" && "text-bad")}
          />
          {action && (
            <Toast.Action
              className="rounded px-2 py-1.5 font-medium text-accent hover:underline"
              onClick={() => {
                manager.close(shownToast.id);
                action.act();
              }}
            >
              {action.text}
            </Toast.Action>
          )}
          <Toast.Close render={<IconButton label="Dismiss" icon={X} />} />
        </Toast.Content>
      </Toast.Root>
    );
  });
}
