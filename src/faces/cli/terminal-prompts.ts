import { plainText } from "../../lib/text/plain-text.ts";
import { declined, type Prompts } from "./fill-in.ts";
import { terminal } from "./terminal.ts";

/** Questions that take the terminal for themselves. */
export const terminalPrompts: Prompts = {
  async confirm(message, usual) {
    const { confirm, isCancel } = await import("@clack/prompts");
    const answer = await confirm({
      message,
      ...(usual === undefined ? {} : { initialValue: usual }),
      output: terminal.stderr,
    });
    return isCancel(answer) ? declined : answer;
  },
  async choose(message, values) {
    const { isCancel, select } = await import("@clack/prompts");
    const options = values.map((value) => ({ value, label: plainText(String(value)) }));
    const answer = await select({ message, options, output: terminal.stderr });
    return isCancel(answer) ? declined : answer;
  },
  async write(message, { usual, isRequired }) {
    const { isCancel, text } = await import("@clack/prompts");
    const answer = await text({
      message,
      ...(usual === undefined ? {} : { initialValue: usual }),
      validate: (value) => (isRequired && !value ? "This is needed." : undefined),
      output: terminal.stderr,
    });
    return isCancel(answer) ? declined : answer;
  },
};
