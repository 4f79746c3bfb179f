import { plainText } from "../../../src/lib/text/plain-text.ts";
import { callOperation } from "../api/operations.ts";
import { sessionQuery } from "../api/session.ts";
import { toast, toastError } from "../parts/toast.ts";
import { queryClient } from "./query-client.ts";

const scope = "/workbench/";
const maxLength = 100;

export const mayNotify = () => "Notification" in window && Notification.permission === "granted";

/** Buttons in notifications need a service worker, which exists in secure contexts only; without it they have none. */
export async function registerNotices(): Promise<void> {
  await navigator.serviceWorker?.register(`${scope}notices.js`, { scope }).catch(() => undefined);
}

export async function removeNotices(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration(scope);
  await registration?.unregister();
}

/** Tool, server and caller. Arguments stay out of it: notifications are seen by bystanders and kept by the system. */
export async function showNotice(tool: string, id: string): Promise<void> {
  const approval = await callOperation("approvals.get", { id }).catch(() => null);
  if (approval !== null && approval.status !== "pending") return;
  const callerNames = approval
    ? [
        approval.toolId.server ?? "",
        approval.principal.user ?? "anonymous",
        approval.client?.name ?? approval.face,
      ]
    : [];
  const body = [tool, callerNames.filter(Boolean).map(shorten).join(", ")].map(shorten).join("\n");
  const options = { body, tag: id, data: { id }, icon: `${scope}icon.svg` };
  const registration = await navigator.serviceWorker?.getRegistration(scope);
  if (registration?.active) {
    const actions = [
      { action: "approve", title: "Approve" },
      { action: "reject", title: "Reject" },
    ];
    return registration.showNotification("Approval needed", {
      ...options,
      actions,
    } as NotificationOptions);
  }
  const notification = new Notification("Approval needed", options);
  notification.onclick = () => {
    window.focus();
    location.assign(`${scope}approvals?id=${encodeURIComponent(id)}`);
  };
}

/** Callers and servers choose their names. */
function shorten(text: string): string {
  const plain = plainText(text).replaceAll(/\s+/g, " ");
  return plain.length <= maxLength ? plain : `${plain.slice(0, maxLength)}…`;
}

type Clicked =
  | { kind: "answer"; decision: "approve" | "reject"; id: string }
  | { kind: "open"; id: string };

/** Answers what was clicked in a notification, with the session of this page; else the approval is opened. */
export function answerNotices(open: (id: string) => void): () => void {
  const onClicked = ({ data, ports }: MessageEvent<Clicked>) => {
    if (data.kind === "open") return open(data.id);
    if (data.kind === "answer")
      void answer(data.id, data.decision).then((isDone) => ports[0]?.postMessage(isDone));
  };
  navigator.serviceWorker?.addEventListener("message", onClicked);
  navigator.serviceWorker?.startMessages();
  return () => navigator.serviceWorker?.removeEventListener("message", onClicked);
}

async function answer(id: string, decision: "approve" | "reject"): Promise<boolean> {
  const session = queryClient.getQueryData(sessionQuery().queryKey);
  if (!session?.isProven || !session.scopes.includes("call")) return false;
  try {
    const { approval } = await callOperation("approvals.answer", { id, decision });
    toast(
      `${decision === "approve" ? "Approved" : "Rejected"}: ${shorten(approval.tool)}`,
      "neutral",
    );
    return true;
  } catch (thrown) {
    toastError(thrown);
    return false;
  } finally {
    for (const topic of ["approvals", "plans", "calls"])
      void queryClient.invalidateQueries({ queryKey: [topic] });
  }
}
