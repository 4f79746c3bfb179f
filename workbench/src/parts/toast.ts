import { messageOf } from "./states.tsx";

type Action = { text: string; act: () => void };
export type Notice = {
  tone: "good" | "bad" | "neutral";
  text: string;
  action?: Action | undefined;
};

/** What was said before there was a place for it. */
let early: Notice[] = [];
let place: ((notice: Notice) => void) | null = null;

/** Shows a short notice, with an action such as Undo. */
export function toast(text: string, tone: Notice["tone"] = "good", action?: Action): void {
  const notice = { text, tone, action };
  if (place === null) early.push(notice);
  else place(notice);
}

export function toastError(error: unknown): void {
  toast(messageOf(error), "bad");
}

/** Notices are shown by a part that is loaded after the first page. */
export function takeNotices(show: (notice: Notice) => void): () => void {
  place = show;
  for (const notice of early) show(notice);
  early = [];
  return () => {
    place = null;
  };
}
