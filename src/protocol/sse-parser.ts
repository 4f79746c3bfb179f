/** Feeds on the text of an event stream and hands out the data of each event. */
export function createSseParser(onData: (data: string, event: string) => void) {
  let buffered = "";
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
    const fresh = started ? text : text.replace(/^\ufeff/, "");
    started ||= text !== "";
    const lines = (buffered + fresh).split(/\r\n|\n|\r(?!$)/);
    buffered = lines.pop() ?? "";
    for (const line of lines) takeLine(line);
  };
}
