import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { EventType } from "../../../src/model/events.ts";
import type { LiveEvent } from "../api/event-stream.ts";
import type { Topic } from "../api/queries.ts";
import { followTogether } from "./follow-together.ts";

/** What an event changes. What begins with a word has the topics of that word; events that are not here change nothing. */
const topicsByEvent: [EventType | `${string}.`, readonly Topic[]][] = [
  ["server.", ["servers", "tools", "tool-list"]],
  ["config.", ["servers", "tools", "tool-list", "stats", "config", "policy", "jobs"]],
  ["registry.", ["tools", "tool-list", "stats", "pins", "jobs"]],
  ["tool.definition", ["tools", "tool-list", "pins"]],
  ["tool.suspicious", ["tools", "tool-list"]],
  ["tool.result", ["calls", "tools"]],
  ["tool.dynamicLoad", ["stats"]],
  ["agent.", ["runs", "calls"]],
  ["approval.", ["approvals", "plans", "calls"]],
  ["question.", ["questions"]],
  ["dead_letter.", ["dead-letters"]],
  ["key.", ["keys"]],
  ["job.", ["jobs"]],
];

/** News of one topic come at once the first time, and then together after so long. */
const gatherMs = 400;
/** Lists that are long or dear to ask for may be a little behind; what somebody waits for may not. */
const gatherMsOf: Partial<Record<Topic, number>> = {
  ...{ approvals: 100, questions: 100 },
  ...{ tools: 4_000, "tool-list": 4_000, stats: 3_000, calls: 1_000, jobs: 3_000 },
};

export type Connection = "connecting" | "open" | "lost";

let connection: Connection = "connecting";
const stateListeners = new Set<() => void>();
const eventListeners = new Set<(event: LiveEvent["event"]) => void>();

function setConnection(next: Connection): void {
  if (next === connection) return;
  connection = next;
  for (const tell of stateListeners) tell();
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

/** Hears of every event while the component is there. `listener` must stay the same function. */
export function useLiveEvent(listener: (event: LiveEvent["event"]) => void): void {
  useEffect(() => {
    eventListeners.add(listener);
    return () => void eventListeners.delete(listener);
  }, [listener]);
}

/** Keeps what is shown up to date, until the returned function is called. */
export function startLiveEvents(client: QueryClient): () => void {
  const refresh = createRefresh(client);
  return followTogether((news) => {
    if (news.kind === "refused") return void client.invalidateQueries({ queryKey: ["session"] });
    if (news.kind === "event") {
      refresh(topicsByEvent.find(([type]) => news.event.type.startsWith(type))?.[1] ?? []);
      for (const tell of eventListeners) tell(news.event);
      return;
    }
    setConnection(news.state);
    if (news.state !== "open") return;
    // What was asked for before somebody listened may be old: what waits for people the first time, later everything.
    if (news.isFirst) refresh(["approvals", "questions", "servers"]);
    else void client.invalidateQueries();
  });
}

/** Asks for what changed: the first time at once, so that an approval is there when it is made. */
function createRefresh(client: QueryClient) {
  const waiting = new Set<Topic>();
  const resting = new Set<Topic>();
  const ask = (topic: Topic): void => {
    resting.add(topic);
    void client.invalidateQueries({ queryKey: [topic] });
    setTimeout(() => {
      resting.delete(topic);
      if (waiting.delete(topic)) ask(topic);
    }, gatherMsOf[topic] ?? gatherMs);
  };
  return (topics: readonly Topic[]): void => {
    for (const topic of topics) {
      if (resting.has(topic)) waiting.add(topic);
      else ask(topic);
    }
  };
}
