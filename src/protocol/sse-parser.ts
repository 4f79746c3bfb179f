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
  let pieces: string[] = [];
  let endedInReturn = false;
  let data: string[] = [];
  let event = "message";
  let id: string | undefined;
  let started = false;
  /** Of the data so far, and of the open line. */
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

  /** A large event is dropped while it arrives, and never held whole. */
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
    if (text === "") return;
    const fresh = started ? text : text.replace(/^\ufeff/, "");
    started = true;
    // The second half of a line break is no other one.
    const part = endedInReturn && fresh.startsWith("\n") ? fresh.slice(1) : fresh;
    endedInReturn = fresh.endsWith("\r");
    const [first = "", ...lines] = part.split(/\r\n|\n|\r/);
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
