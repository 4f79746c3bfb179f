import { errorTable } from "../../../model/errors.ts";
import { agentExitCode, sayHowItEnded } from "../agent-outcome.ts";
import { howToConfigureModel } from "../model-hint.ts";
import { print } from "../output.ts";
import { showMessages } from "../show-messages.ts";
import { terminal } from "../terminal.ts";
import { askInLine } from "./ask-in-line.ts";
import { type Chat, callOptions } from "./chat-state.ts";

/** What is no verb goes to the agent, with all that was said before. */
export async function talk(chat: Chat, question: string): Promise<number> {
  const { plane, settings, away, history } = chat;
  if (Object.keys(plane.config().models).length === 0) {
    print(howToConfigureModel(plane.config()));
    print("Everything but chatting works without one: /help shows what.");
    return errorTable.CONFIG_INVALID.exit;
  }
  const write = (text: string) => void terminal.stdout.write(text);
  const result = await plane.runAgent(question, {
    ...callOptions(chat),
    ...(settings.model === null ? {} : { model: settings.model }),
    ...(settings.toolset === null ? {} : { toolset: settings.toolset }),
    ...(settings.style === null ? {} : { style: settings.style }),
    ...(away.size === 0 ? {} : { mcp: await serversHere(chat) }),
    history,
    askHere: askInLine(chat),
    onMessage: showMessages({ answer: write, aside: write }),
  });
  chat.history = result.history;
  if (result.state !== undefined) settings.state = result.state;
  sayHowItEnded(result);
  return agentExitCode(result);
}

async function serversHere({ plane, away }: Chat): Promise<string[]> {
  return (await plane.servers()).map(({ name }) => name).filter((name) => !away.has(name));
}
