import { messageOf } from "./states.tsx";

type Action = { text: string; act: () => void };
export type Notice = {
  tone: "good" | "bad" | "neutral";
  text: string;
  action?: Action | undefined;
};

/** What was said before there was a place for it. */
let earlyNotices: Notice[] = [];
let showNotice: ((notice: Notice) => void) | null = null;

/** Shows a short notice, with an action such as Undo. */
export function toast(text: string, tone: Notice["tone"] = "good", action?: Action): void {
  const notice = { text, tone, action };
  if (showNotice === null) earlyNotices.push(notice);
  else showNotice(notice);
}

export function toastError(error: unknown): void {
  toast(messageOf(error), "bad");
}

/** Notices are shown by a part that is loaded after the first page. */
export function takeNotices(show: (notice: Notice) => void): () => void {
  showNotice = show;
  for (const notice of earlyNotices) show(notice);
  earlyNotices = [];
  return () => {
    showNotice = null;
  };
}
