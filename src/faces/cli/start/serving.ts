import { giveMemoryBack, limitHeap } from "../../../lib/heap.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { type EventType, eventMeanings } from "../../../model/events.ts";
import type { Plane } from "../../../model/plane.ts";
import { colors, say } from "../terminal/output.ts";
import { renderTrouble } from "../terminal/server-trouble.ts";

/** How servers come and go, a line each. A reason that stays the same is not told at every attempt. */
export function tellOfServers(plane: Plane): void {
  const told = new Map<string, string>();
  const tell = (mark: string, server: string, text: string) => {
    if (told.get(server) === text) return;
    told.set(server, text);
    say(`${mark} ${server}: ${plainText(text)}`);
  };
  const explain = async (server: string, error: string): Promise<string> => {
    const { stderrTail } = (await plane.servers.get(server).catch(() => null)) ?? {};
    return renderTrouble({ error, ...(stderrTail === undefined ? {} : { stderrTail }) }) ?? error;
  };
  plane.on("server.installing", ({ server }) => tell(colors.yellow("◌"), server, "installing"));
  plane.on("server.connected", ({ server, toolCount }) => tell(colors.green("●"), server, countOf(toolCount, "tool")));
  plane.on("server.error", ({ server, message }) =>
    explain(server, message).then((text) => tell(colors.red("●"), server, text)),
  );
  plane.on("server.disconnected", ({ server, reason }) =>
    explain(server, reason).then((text) => tell(colors.dim("○"), server, text)),
  );
}

/** So few calls since it was asked last that a short pause disturbs no caller. */
const fewCalls = 100;
/** The share of the time that something was done. A person who types takes more, and notices a pause. */
const almostIdle = 0.005;

/** For faces that run for days: the memory that a storm of calls took does not stay taken. */
export function giveMemoryBackWhenQuiet(plane: Plane): Disposable {
  const limited = limitHeap();
  let calls = 0;
  const leave = plane.on("tool.call", () => {
    calls += 1;
  });
  let before = performance.eventLoopUtilization();
  const returning = giveMemoryBack(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    const isQuiet = calls < fewCalls && utilization < almostIdle;
    calls = 0;
    before = now;
    return isQuiet;
  });
  return {
    [Symbol.dispose]() {
      leave();
      limited[Symbol.dispose]();
      returning[Symbol.dispose]();
    },
  };
}

/** Prints every event of a plane of this process. No event carries an argument or a result. */
export function showEvents(plane: Plane): void {
  if (plane.isRemote) return say("Another process serves; --standalone shows what happens in a plane of its own.");
  for (const type of Object.keys(eventMeanings) as EventType[])
    plane.on(type, ({ type: _, ...facts }) => {
      const words = Object.entries(facts).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      say(colors.dim([new Date().toISOString(), type, ...words].join(" ")));
    });
}
