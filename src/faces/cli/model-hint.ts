import type { Config } from "../../model/config/config.ts";

/** What to write where, for whoever wants to talk to a model and has none. */
export function howToConfigureModel({ files }: Pick<Config, "files">): string {
  const file = files.at(-1) ?? "toolplane.json";
  return [
    `No model is configured. Add one to ${file}, any endpoint that speaks chat completions:`,
    "",
    '  "models": {',
    '    "default": {',
    '      "baseURL": "http://127.0.0.1:11434/v1",',
    '      "model": "NAME",',
    '      "apiKey": "${MODEL_KEY}"',
    "    }",
    "  }",
    "",
    "'apiKey' can be left out where none is needed.",
  ].join("\n");
}
