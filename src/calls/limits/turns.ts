import { createGate, type Gate, GateFull } from "../../lib/gate.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Tool } from "../../model/tool.ts";

/** How many calls of one tool may wait for each other. */
const maxLine = 1_000;

/** Calls of a tool that may not run beside itself: one after the other, in the order they came. */
export type Turns = {
  /** Undefined when it is the call's turn already. Who gives up leaves the line. */
  enter(tool: Tool, signal: AbortSignal): Promise<void> | undefined;
  leave(tool: Tool): void;
  /** How many tools have a call that runs or waits. */
  size(): number;
};

/** Only where somebody said so: by default a tool may run as often as its server lets it. */
export function isSerial({ parallel, metadata }: Tool): boolean {
  return parallel === "explicit" && metadata.allow_parallel === false;
}

export function createTurns(): Turns {
  const lines = new Map<string, Gate>();
  const lineOf = (key: string): Gate => {
    const found = lines.get(key) ?? createGate(1, maxLine);
    lines.set(key, found);
    return found;
  };

  return {
    enter(tool, signal) {
      try {
        return lineOf(keyOf(tool)).enter(signal);
      } catch (thrown) {
        throw thrown instanceof GateFull ? tooMany(tool) : thrown;
      }
    },
    leave(tool) {
      const key = keyOf(tool);
      const line = lines.get(key);
      line?.leave();
      if (line?.inside() === 0) lines.delete(key);
    },
    size: () => lines.size,
  };
}

/** A listing brings new objects for the same tools, so the id counts. */
function keyOf({ id }: Tool): string {
  return JSON.stringify([id.server, id.tool]);
}

function tooMany({ name, id: { server } }: Tool): PlaneError {
  const text = `'${name}' runs one call at a time ('allow_parallel' is false), and ${maxLine} wait. Call again later.`;
  return new PlaneError("BUSY", text, {
    data: { tool: name, ...(server === null ? {} : { server }), sent: false, retryAt: null },
  });
}
