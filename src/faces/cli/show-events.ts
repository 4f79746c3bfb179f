import { type EventType, eventMeanings } from "../../model/events.ts";
import type { Plane } from "../../model/plane.ts";
import { colors } from "./colors.ts";
import { say } from "./output.ts";

/** Tells all that a plane of this process does, for whoever looks for a reason. No event carries an argument or a result. */
export function showEvents(plane: Plane): void {
  if (plane.isRemote) return say("Another process serves; --standalone shows what happens in a plane of its own.");
  for (const type of Object.keys(eventMeanings) as EventType[])
    plane.on(type, ({ type: _, ...facts }) => {
      const words = Object.entries(facts).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      say(colors.dim([new Date().toISOString(), type, ...words].join(" ")));
    });
}
