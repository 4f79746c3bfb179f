import { nearest } from "../../../lib/nearest.ts";
import { PlaneError } from "../../../model/errors.ts";
import { colors } from "../colors.ts";
import { print } from "../output.ts";
import { call } from "./call-verb.ts";
import { newConversation, type Verb } from "./chat-state.ts";
import { mcp, mcpVerbs } from "./mcp-verbs.ts";
import { approve, plan, reject } from "./plan-verbs.ts";
import { save } from "./save-verb.ts";
import { groups, model, state, style, toolset, verbose } from "./setting-verbs.ts";

const clear: Verb = {
  usage: "",
  about: "forget the conversation and begin another",
  async run(chat) {
    chat.history = [];
    await chat.plane.endConversation(chat.conversation);
    chat.conversation = newConversation();
    print("What was said is forgotten.");
    return undefined;
  },
};

const help: Verb = {
  usage: "",
  about: "what can be typed here",
  run() {
    print(renderHelp());
    return undefined;
  },
};

const quit: Verb = {
  usage: "",
  about: "end; Ctrl-D does the same",
  run(chat) {
    chat.end();
    return undefined;
  },
};

/** What can be typed with a slash. */
export const verbs: Record<string, Verb> = {
  ...{ mcp, call, plan, approve, reject },
  ...{ model, toolset, style, groups, state },
  ...{ clear, save, verbose, help, quit },
};

/** The verb of that name, also by `exit` for quit. */
export function findVerb(name: string): Verb {
  const known = name === "exit" ? "quit" : name;
  const verb = Object.hasOwn(verbs, known) ? verbs[known] : undefined;
  if (verb) return verb;
  const [meant] = nearest(name, Object.keys(verbs), 1);
  const remedy = meant ? `Did you mean /${meant}?` : "/help shows what there is.";
  throw new PlaneError("USAGE", `There is no /${name}. ${remedy}`);
}

function renderHelp(): string {
  const own = Object.entries(verbs).filter(([name]) => name !== "mcp");
  const rows = [
    ...Object.entries(mcpVerbs).map(
      ([name, verb]) => [name === "list" ? "mcp" : `mcp ${name}`, verb] as const,
    ),
    ...own,
  ].map(([name, { usage, about }]) => [`/${name} ${usage}`.trim(), about] as const);
  const width = Math.max(...rows.map(([typed]) => typed.length));
  return [
    ...rows.map(([typed, about]) => `${typed.padEnd(width)}  ${colors.dim(about)}`),
    "",
    "Anything else is for the model. Ctrl-C cancels what runs, a second one ends.",
  ].join("\n");
}
