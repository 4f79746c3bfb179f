import { createOversized, type Oversized } from "./oversized-id.ts";

export type SseOptions = {
  /** Where to resume a broken stream. */
  onId?(id: string): void;
  /** The wait before that. */
  onRetry?(retryMs: number): void;
  /** Larger events are skipped. */
  limitBytes?: number;
  onTooLarge?(data: Oversized): void;
  /** Called as soon as an event is too large, before its end. */
  onOverLimit?(): void;
};

const dataField = "data: ";

/** Takes text and passes on the data of each event. */
export function createSseParser(
  onData: (data: string, event: string) => void,
  options: SseOptions = {},
) {
  const { limitBytes = Number.POSITIVE_INFINITY } = options;
  let lineParts: string[] = [];
  let endedInReturn = false;
  let data: string[] = [];
  let event = "message";
  let id: string | undefined;
  let started = false;
  /** Of the data so far, and of the open line. */
  let dataBytes = 0;
  let lineBytes = 0;
  let oversized: ReturnType<typeof createOversized> | undefined;

  const takePart = (part: string) => {
    if (part === "") return;
    if (oversized) {
      oversized.add(Buffer.from(lineBytes === 0 ? withoutField(part) : part));
      lineBytes = 1;
    } else if ((lineParts[0] ?? part).startsWith(":")) {
      lineParts = [":"];
    } else {
      lineBytes += Buffer.byteLength(part);
      lineParts.push(part);
      if (dataBytes + lineBytes > limitBytes + dataField.length) skipEvent();
    }
  };

  /** A large event is dropped while it arrives, and never held whole. */
  const skipEvent = () => {
    oversized = createOversized();
    options.onOverLimit?.();
    for (const part of [...data, withoutField(lineParts.join(""))])
      oversized.add(Buffer.from(part));
    data = [];
    lineParts = [];
  };

  const finishEvent = () => {
    if (id !== undefined) options.onId?.(id);
    if (oversized) options.onTooLarge?.(oversized.finish());
    else if (data.length > 0) onData(data.join("\n"), event);
    data = [];
    event = "message";
    id = undefined;
    dataBytes = 0;
    oversized = undefined;
  };

  const takeLine = (line: string) => {
    if (line === "" && lineBytes === 0) return finishEvent();
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "data") {
      data.push(value);
      dataBytes += Buffer.byteLength(value) + 1;
    } else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d+$/.test(value)) options.onRetry?.(Number(value));
  };

  return (text: string): void => {
    if (text === "") return;
    const withoutMark = started ? text : text.replace(/^\ufeff/, "");
    started = true;
    // The second half of a line break is no other one.
    const unparsed =
      endedInReturn && withoutMark.startsWith("\n") ? withoutMark.slice(1) : withoutMark;
    endedInReturn = withoutMark.endsWith("\r");
    const [first = "", ...lines] = unparsed.split(/\r\n|\n|\r/);
    takePart(first);
    for (const line of lines) {
      takeLine(lineParts.join(""));
      lineParts = [];
      lineBytes = 0;
      takePart(line);
    }
  };
}

function withoutField(line: string): string {
  return line.replace(/^data: ?/, "");
}
