import { useNavigate } from "@tanstack/react-router";
import { useEffect, useSyncExternalStore } from "react";
import type { LiveEvent } from "../api/event-stream.ts";
import { toast } from "../parts/toast.ts";
import {
  answerNotices,
  mayNotify,
  registerNotices,
  removeNotices,
  showNotice,
} from "./approval-notices.ts";
import { useLiveEvent } from "./live-events.ts";

const soundKey = "toolplane.sound";
const notificationKey = "toolplane.notifications";
const listeners = new Set<() => void>();

/** Whether this browser plays a sound for a new approval. */
export function useHasSound(): [boolean, (on: boolean) => void] {
  return [useSwitch(soundKey), (on) => setSwitch(soundKey, on, ring)];
}

/** Whether this browser shows a notification for a new approval. It asks for permission once. */
export function useNotifies(): [boolean, (on: boolean) => void] {
  const isChosen = useSwitch(notificationKey);
  const choose = (on: boolean) => {
    if (!on) {
      void removeNotices();
      return setSwitch(notificationKey, false);
    }
    if (!("Notification" in window))
      return toast("This browser shows no notifications here.", "bad");
    void Notification.requestPermission().then((permission) => {
      if (permission === "granted")
        void registerNotices().then(() => setSwitch(notificationKey, true));
      else
        toast(
          "The browser does not allow notifications of this page. Change that in its settings.",
          "bad",
        );
    });
  };
  return [isChosen && mayNotify(), choose];
}

function useSwitch(key: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isOn(key),
  );
}

const isOn = (key: string) => localStorage.getItem(key) === "on";

function setSwitch(key: string, on: boolean, confirm?: () => void): void {
  localStorage.setItem(key, on ? "on" : "off");
  for (const listener of listeners) listener();
  if (on) confirm?.();
}

/** Two short synthesized tones. Browsers stay silent until the first click. */
function ring(): void {
  const audio = new AudioContext();
  const volume = audio.createGain();
  volume.gain.value = 0.06;
  volume.connect(audio.destination);
  for (const [index, frequency] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(volume);
    tone.start(audio.currentTime + index * 0.14);
    tone.stop(audio.currentTime + index * 0.14 + 0.12);
    tone.onended = () => index === 1 && void audio.close();
  }
}

const onEvent = (event: LiveEvent["event"]): void => {
  if (event.type !== "approval.requested") return;
  if (isOn(soundKey)) ring();
  // A person who looks at the page sees it there.
  const isSeen = document.visibilityState === "visible" && document.hasFocus();
  if (isOn(notificationKey) && !isSeen && mayNotify())
    void showNotice(event.tool, event.approvalId);
};

/** Rings and notifies on every page. */
export function useApprovalAlerts(): void {
  const navigate = useNavigate();
  useLiveEvent(onEvent);
  useEffect(() => {
    const onStorage = () => {
      for (const listener of listeners) listener();
    };
    window.addEventListener("storage", onStorage);
    return () => window.removeEventListener("storage", onStorage);
  }, []);
  useEffect(
    () => answerNotices((id) => void navigate({ to: "/approvals", search: { id } })),
    [navigate],
  );
}
