import type { Config } from "../../model/config.ts";
import type { Session } from "../../protocol/session.ts";
import type { ServerText } from "./tool-index.ts";

/** What a server says about itself is read so far; more of it would only dilute what its tools say. */
const maxRead = 2_000;

/**
 * What is said about servers, by whoever configured them and by themselves: their title and how they want to be used.
 * Another function when any of it is different, and the same as long as it is not.
 */
export function createServerText(
  config: () => Config,
  session: (server: string) => Session | null,
): () => ServerText {
  let known: { of: Config; texts: Map<string, string>; text: ServerText } | undefined;
  return () => {
    const of = config();
    const before = known?.of === of ? known.texts : new Map<string, string>();
    const texts = new Map(
      Object.entries(of.servers).map(([name, { description = "" }]) => {
        const live = session(name);
        return [name, live ? `${description}\n${saidBy(live)}` : (before.get(name) ?? description)];
      }),
    );
    const isSame = known?.of === of && [...texts].every(([name, text]) => before.get(name) === text);
    if (!known || !isSame) known = { of, texts, text: (server) => texts.get(server ?? "") ?? "" };
    return known.text;
  };
}

function saidBy({ serverInfo, instructions }: Session): string {
  const title = typeof serverInfo?.title === "string" ? serverInfo.title : "";
  return `${title}\n${instructions ?? ""}`.slice(0, maxRead);
}
