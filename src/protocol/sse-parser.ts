/** Feeds on the text of an event stream and hands out the data of each event. */
export function createSseParser(onData: (data: string, event: string) => void) {
  let pieces: string[] = [];
  let held = "";
  let data: string[] = [];
  let event = "message";
  let started = false;

  const takeLine = (line: string) => {
    if (line === "") {
      if (data.length > 0) onData(data.join("\n"), event);
      data = [];
      event = "message";
    } else {
      const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "data") data.push(value);
      else if (field === "event") event = value;
    }
  };

  return (text: string): void => {
    const fresh = held + (started ? text : text.replace(/^\ufeff/, ""));
    started ||= text !== "";
    // A carriage return at the end may be the first half of a line break.
    held = fresh.endsWith("\r") ? "\r" : "";
    const [first = "", ...lines] = fresh.slice(0, fresh.length - held.length).split(/\r\n|\n|\r/);
    pieces.push(first);
    for (const line of lines) {
      takeLine(pieces.join(""));
      pieces = [line];
    }
  };
}
