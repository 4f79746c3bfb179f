/** Feeds on the text of an event stream and hands out the data of each event. */
export function createSseParser(onData: (data: string, event: string) => void) {
  let buffered = "";
  let data: string[] = [];
  let event = "message";

  const takeLine = (line: string) => {
    if (line === "") {
      if (data.length > 0) onData(data.join("\n"), event);
      data = [];
      event = "message";
    } else if (line.startsWith("data:")) {
      data.push(line.slice(5).replace(/^ /, ""));
    } else if (line.startsWith("event:")) {
      event = line.slice(6).trim();
    }
  };

  return (text: string): void => {
    const lines = (buffered + text).split(/\r\n|\n|\r(?!$)/);
    buffered = lines.pop() ?? "";
    for (const line of lines) takeLine(line);
  };
}
