import { nearest } from "../../../lib/nearest.ts";
import { agentStyles } from "../../../model/agent-run.ts";
import { PlaneError } from "../../../model/errors.ts";
import { howToConfigureModel } from "../model-hint.ts";
import { print } from "../output.ts";
import type { Verb } from "./chat-state.ts";

/** What takes a setting back. */
const none = "none";

export const model: Verb = {
  usage: "[NAME]",
  about: "which configured model answers",
  run({ plane, settings }, [name]) {
    const known = Object.keys(plane.config().models);
    if (known.length === 0) return void print(howToConfigureModel(plane.config()));
    if (name !== undefined) settings.model = pick("model", name, known);
    print(
      `Model: ${settings.model ?? (known.includes("default") ? "default" : known[0])} of ${known.join(", ")}`,
    );
  },
};

export const toolset: Verb = {
  usage: `[NAME|${none}]`,
  about: "which selection of tools the model gets",
  run({ plane, settings }, [name]) {
    const known = Object.keys(plane.config().toolsets);
    if (name !== undefined) settings.toolset = pick("toolset", name, known);
    print(
      `Toolset: ${settings.toolset ?? "every tool"}${known.length > 0 ? `; there are ${known.join(", ")}` : ""}`,
    );
  },
};

export const style: Verb = {
  usage: agentStyles.join("|"),
  about: "how the model asks for tools: tools, or in plain text",
  run({ settings }, [name]) {
    if (name !== undefined) settings.style = pick("style", name, agentStyles);
    print(`Style: ${settings.style ?? "tools"}`);
  },
};

export const groups: Verb = {
  usage: `[GROUP…|*|${none}]`,
  about: "the groups of tools that are meant",
  run({ settings }, words) {
    if (words.length > 0) settings.groups = words[0] === none ? null : words;
    print(`Groups of tools: ${settings.groups?.join(", ") ?? "default"}`);
  },
};

export const state: Verb = {
  usage: `[STATE|${none}]`,
  about: "the state that the agent is in",
  run({ settings }, [name]) {
    if (name !== undefined) settings.state = name === none ? null : name;
    print(`State: ${settings.state ?? none}`);
  },
};

export const verbose: Verb = {
  usage: "[on|off]",
  about: "show what happens: servers, calls, searches, approvals",
  run({ plane, settings }, [word]) {
    settings.isVerbose = word === undefined ? !settings.isVerbose : word === "on";
    print(`Events are ${settings.isVerbose ? "shown" : "not shown"}.`);
    if (settings.isVerbose && plane.isRemote)
      print(
        "The plane serves elsewhere: its events are at GET /events. Start chat with --standalone to see them here.",
      );
  },
};

function pick<T extends string>(what: string, name: string, known: readonly T[]): T | null {
  if (name === none) return null;
  const found = known.find((candidate) => candidate === name);
  if (found !== undefined) return found;
  const [meant] = nearest(name, known, 1);
  const remedy = meant
    ? `Did you mean '${meant}'?`
    : known.length === 0
      ? `The configuration has none; add one under '${what}s'.`
      : `There are ${known.join(", ")}.`;
  throw new PlaneError("USAGE", `There is no ${what} '${name}'. ${remedy}`);
}
