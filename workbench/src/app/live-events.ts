import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { EventType } from "../../../src/model/events.ts";
import type { LiveEvent } from "../api/event-stream.ts";
import { refresh } from "../api/refresh.ts";
import type { Topic } from "../api/topics.ts";
import { shareEvents } from "./tab-leader.ts";

/** The topics that an event invalidates, by prefix of its type. Other events invalidate nothing. */
const topicsByEvent: [EventType | `${string}.`, readonly Topic[]][] = [
  ["server.", ["servers", "tools", "tool-list"]],
  [
    "config.",
    [
      "servers",
      "tools",
      "tool-list",
      "stats",
      "config",
      "policy",
      "jobs",
      "toolsets",
      "users",
      "personas",
    ],
  ],
  ["extension.", ["extensions"]],
  ["registry.", ["tools", "tool-list", "stats", "pins", "jobs", "toolsets"]],
  ["tool.definition", ["tools", "tool-list", "pins"]],
  ["tool.suspicious", ["tools", "tool-list"]],
  ["tool.call", ["running"]],
  ["tool.result", ["calls", "summaries", "tools", "running"]],
  ["tool.dynamicLoad", ["stats"]],
  ["agent.step", ["agents"]],
  ["agent.", ["runs", "calls", "summaries", "agents"]],
  ["approval.", ["approvals", "plans", "calls", "summaries"]],
  ["question.", ["questions"]],
  ["dead_letter.", ["dead-letters"]],
  ["key.", ["keys", "users", "personas"]],
  ["job.", ["jobs"]],
];

/** The first event of a topic refreshes at once; later ones are throttled to one refresh in this time. */
const throttleMs = 400;
/** Long or expensive lists may lag; approvals and questions may not. */
const throttleMsOf: Partial<Record<Topic, number>> = {
  approvals: 100,
  questions: 100,
  tools: 4_000,
  "tool-list": 4_000,
  stats: 3_000,
  calls: 1_000,
  // A plane reads thousands of calls for one.
  summaries: 15_000,
  jobs: 3_000,
};

export type Connection = "connecting" | "open" | "lost";

let connection: Connection = "connecting";
const stateListeners = new Set<() => void>();
const eventListeners = new Set<(event: LiveEvent["event"]) => void>();

function setConnection(next: Connection): void {
  if (next === connection) return;
  connection = next;
  for (const listener of stateListeners) listener();
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => void stateListeners.delete(listener);
    },
    () => connection,
  );
}

/** Calls `listener` for every event while mounted. `listener` must be a stable function. */
export function useLiveEvent(listener: (event: LiveEvent["event"]) => void): void {
  useEffect(() => {
    eventListeners.add(listener);
    return () => void eventListeners.delete(listener);
  }, [listener]);
}

/** Refreshes queries on the events after `begin`, until the returned function is called. */
export function startLiveEvents(client: QueryClient, begin: number): () => void {
  const refreshSoon = createRefresh(client);
  return shareEvents(begin, (message) => {
    if (message.kind === "refused") return void client.invalidateQueries({ queryKey: ["session"] });
    if (message.kind === "event") {
      refreshSoon(topicsByEvent.find(([type]) => message.event.type.startsWith(type))?.[1] ?? []);
      for (const listener of eventListeners) listener(message.event);
      return;
    }
    // The stream resumes where it broke off, but a plane that was started again has also changed without events.
    if (message.state === "open" && connection === "lost") void client.invalidateQueries();
    setConnection(message.state);
  });
}

/** Refetches the changed topics: the first time at once, so that an approval shows without delay. */
function createRefresh(client: QueryClient) {
  const waiting = new Set<Topic>();
  const throttled = new Set<Topic>();
  const refreshTopic = (topic: Topic): void => {
    throttled.add(topic);
    void refresh(client, topic);
    setTimeout(() => {
      throttled.delete(topic);
      if (waiting.delete(topic)) refreshTopic(topic);
    }, throttleMsOf[topic] ?? throttleMs);
  };
  return (topics: readonly Topic[]): void => {
    for (const topic of topics) {
      if (throttled.has(topic)) waiting.add(topic);
      else refreshTopic(topic);
    }
  };
}
