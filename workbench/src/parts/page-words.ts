/** `'toolplane tools list' lists them.`, `List them: toolplane calls runs`, `'calls' lists those that are.`, `To …, add --force.` */
const commandHint =
  /(?:['\u2018`]|: )toolplane [a-z]|^'[a-z-]+(?: [a-z-]+)*' lists |^(?:To .+, add|Say it with) --[a-z]/;

/** What to type into a terminal is no help to a person who is at a page. */
export function withoutCommands(message: string): string {
  const sentences = message.split(/(?<=[.!?])\s+/);
  const usefulSentences = sentences.filter((sentence) => !commandHint.test(sentence));
  return usefulSentences.length === 0 ? message : usefulSentences.join(" ");
}
