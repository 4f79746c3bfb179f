import { writeFile } from "node:fs/promises";
import { countOf } from "../../../lib/count-of.ts";
import { fileTrouble } from "../../../lib/file-trouble.ts";
import { PlaneError } from "../../../model/errors.ts";
import { print } from "../output.ts";
import { usage, type Verb } from "./chat-state.ts";

export const save: Verb = {
  usage: "FILE [--force]",
  about: "write the conversation to a file that 'agent --history' takes",
  async run({ conversation, history }, words) {
    const [file, ...others] = words.filter((word) => word !== "--force");
    if (file === undefined || others.length > 0) throw usage("save", save);
    const text = `${JSON.stringify({ conversation, history }, null, 2)}\n`;
    try {
      await writeFile(file, text, { mode: 0o600, flag: words.includes("--force") ? "w" : "wx" });
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === "EEXIST")
        throw new PlaneError("USAGE", `'${file}' is there already. /save ${file} --force overwrites it.`);
      throw new PlaneError("USAGE", `'${file}' cannot be written: ${fileTrouble(thrown)}.`);
    }
    print(`${countOf(history.length, "message")} saved in ${file}.`);
    return undefined;
  },
};
