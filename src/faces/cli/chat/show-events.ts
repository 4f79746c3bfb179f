import { plainText } from "../../../lib/plain-text.ts";
import type { EventType, PlaneEvent } from "../../../model/events.ts";
import type { Plane } from "../../../model/plane.ts";
import { colors } from "../colors.ts";

/** What somebody who looks over the shoulder of a plane wants to see go by. */
const shownEvents = [
  ...(["server.connecting", "server.connected", "server.disconnected", "server.error"] as const),
  ...(["tool.call", "tool.retry", "tool.result", "tool.search", "tool.dynamicLoad"] as const),
  ...(["approval.requested", "approval.changed", "hook.decided"] as const),
  ...(["dead_letter.added", "dead_letter.resolved", "dead_letter.abandoned"] as const),
] satisfies EventType[];

/** Until it is disposed of. */
export function showEvents(plane: Plane, show: (text: string) => void): Disposable {
  const leave = shownEvents.map((type) => plane.on(type, (event) => show(renderEvent(event))));
  return {
    [Symbol.dispose]() {
      for (const stop of leave) stop();
    },
  };
}

/** Its type and its short facts. */
function renderEvent({ type, ...facts }: PlaneEvent): string {
  const told = Object.entries(facts)
    .filter(([, value]) => value !== null && (typeof value !== "object" || isNames(value)))
    .map(([name, value]) => `${name}=${plainText(String(value)).replaceAll(/\s+/g, " ")}`);
  return colors.dim(`${type} ${told.join(" ")}`);
}

function isNames(value: object): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
