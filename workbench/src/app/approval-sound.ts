import { useEffect, useSyncExternalStore } from "react";
import type { LiveEvent } from "../api/event-stream.ts";
import { useLiveEvent } from "./live-events.ts";

const key = "toolplane.sound";
const listeners = new Set<() => void>();

/** Whether this browser plays a sound for a new approval. */
export function useHasSound(): [boolean, (on: boolean) => void] {
  const on = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => localStorage.getItem(key) === "on",
  );
  const set = (next: boolean) => {
    localStorage.setItem(key, next ? "on" : "off");
    for (const tell of listeners) tell();
    if (next) ring();
  };
  return [on, set];
}

/** Two short synthesized tones. Browsers stay silent until the first click. */
function ring(): void {
  const audio = new AudioContext();
  const volume = audio.createGain();
  volume.gain.value = 0.06;
  volume.connect(audio.destination);
  for (const [at, frequency] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(volume);
    tone.start(audio.currentTime + at * 0.14);
    tone.stop(audio.currentTime + at * 0.14 + 0.12);
    tone.onended = () => at === 1 && void audio.close();
  }
}

const hear = ({ type }: LiveEvent["event"]): void => {
  if (type === "approval.requested" && localStorage.getItem(key) === "on") ring();
};

/** Rings on every page. */
export function useApprovalSound(): void {
  useLiveEvent(hear);
  useEffect(() => {
    const onStorage = () => {
      for (const tell of listeners) tell();
    };
    window.addEventListener("storage", onStorage);
    return () => window.removeEventListener("storage", onStorage);
  }, []);
}
