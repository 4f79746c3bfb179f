import { shorten } from "../../../lib/shorten.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import { isMetaTool, metaToolNames, metaTools } from "../../../model/meta-tools.ts";
import type { ToolId } from "../../../model/tool.ts";

/** What a client means by a call: a tool, one of those that find others, or nothing that makes sense. */
export type MeantCall =
  | {
      name: string;
      arguments: unknown;
      /** Set for the tools that find others. */
      own?: ToolId;
      /** Another tool was called to call it, so a wrong name is the model's mistake and not the client's. */
      isWrapped: boolean;
    }
  | { wrong: string };

const { search, call } = metaToolNames;

/** `call_tool` is the call of the tool that it names, and leaves no trace of its own. */
export function readMetaCall(name: string, args: unknown): MeantCall {
  if (name !== call) {
    const wrong = strayIn(name, args);
    return wrong ?? { name, arguments: args, own: { server: null, tool: name }, isWrapped: false };
  }
  const { name: inner, arguments: given, ...others } = isObject(args) ? args : ({} as UnknownObject);
  if (typeof inner !== "string" || inner === "")
    return { wrong: `'name' of ${call} must be the name of a tool. Find one with ${search}.` };
  if (inner === call)
    return { wrong: `${call} does not call itself. Give the name of the tool that you mean.` };
  const [stray] = Object.keys(others);
  if (given === undefined && stray !== undefined)
    return { wrong: `'${stray}' is no argument of ${call}. Put what '${inner}' takes into 'arguments'.` };
  const meant = { name: inner, arguments: given ?? {}, isWrapped: true };
  if (!isMetaTool(inner)) return meant;
  return strayIn(inner, given) ?? { ...meant, own: { server: null, tool: inner } };
}

/** Whoever asks for something that is not there would take the answer for one to it. */
function strayIn(name: string, args: unknown): { wrong: string } | null {
  const { properties } = metaTools.find((tool) => tool.name === name)?.inputSchema ?? {};
  if (!isObject(properties) || !isObject(args)) return null;
  const stray = Object.keys(args).find((key) => !Object.hasOwn(properties, key));
  if (stray === undefined) return null;
  return {
    wrong: `'${shorten(stray)}' is no argument of ${name}. It takes ${Object.keys(properties).join(", ")}.`,
  };
}
