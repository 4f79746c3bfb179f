import { createOversized, type Oversized } from "./oversized-id.ts";

export type SseOptions = {
  /** Where to go on after the stream has broken off. */
  onId?(id: string): void;
  /** How long to wait before that. */
  onRetry?(retryMs: number): void;
  /** An event whose data is larger is passed over. */
  limitBytes?: number;
  onTooLarge?(data: Oversized): void;
  /** Told as soon as an event turns out to be too large, long before it may end. */
  onOverLimit?(): void;
};

const dataField = "data: ";

/** Feeds on the text of an event stream and hands out the data of each event. */
export function createSseParser(onData: (data: string, event: string) => void, options: SseOptions = {}) {
  const { limitBytes = Number.POSITIVE_INFINITY } = options;
  let pieces: string[] = [];
  let held = "";
  let data: string[] = [];
  let event = "message";
  let id: string | undefined;
  let started = false;
  /** Bytes of the data so far, and of the line that has not ended. */
  let dataBytes = 0;
  let lineBytes = 0;
  let passed: ReturnType<typeof createOversized> | undefined;

  const takePiece = (piece: string) => {
    if (piece === "") return;
    if (passed) {
      passed.add(Buffer.from(lineBytes === 0 ? withoutField(piece) : piece));
      lineBytes = 1;
    } else if ((pieces[0] ?? piece).startsWith(":")) {
      pieces = [":"];
    } else {
      lineBytes += Buffer.byteLength(piece);
      pieces.push(piece);
      if (dataBytes + lineBytes > limitBytes + dataField.length) passOver();
    }
  };

  /** A large event is given up while it arrives, so that it is never held as a whole. */
  const passOver = () => {
    passed = createOversized();
    options.onOverLimit?.();
    for (const part of [...data, withoutField(pieces.join(""))]) passed.add(Buffer.from(part));
    data = [];
    pieces = [];
  };

  const finishEvent = () => {
    if (id !== undefined) options.onId?.(id);
    if (passed) options.onTooLarge?.(passed.finish());
    else if (data.length > 0) onData(data.join("\n"), event);
    data = [];
    event = "message";
    id = undefined;
    dataBytes = 0;
    passed = undefined;
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
    const fresh = held + (started ? text : text.replace(/^\ufeff/, ""));
    started ||= text !== "";
    // A carriage return at the end may be the first half of a line break.
    held = fresh.endsWith("\r") ? "\r" : "";
    const [first = "", ...lines] = fresh.slice(0, fresh.length - held.length).split(/\r\n|\n|\r/);
    takePiece(first);
    for (const line of lines) {
      takeLine(pieces.join(""));
      pieces = [];
      lineBytes = 0;
      takePiece(line);
    }
  };
}

function withoutField(line: string): string {
  return line.replace(/^data: ?/, "");
}
