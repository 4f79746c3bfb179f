import type { UnknownObject } from "../../../../src/model/json.ts";

export type CopiedCall = { name: string; title: string; text: string };

/** The call for the command line, curl and TypeScript. */
export function renderCall(
  tool: string,
  args: UnknownObject,
  origin: string,
  needsKey: boolean,
): CopiedCall[] {
  const json = JSON.stringify(args);
  const hasArguments = Object.keys(args).length > 0;
  const key = needsKey ? ' \\\n  -H "Authorization: Bearer $TOOLPLANE_KEY"' : "";
  const address = `${origin}/tools/${encodeURIComponent(tool)}/call`;
  return [
    {
      name: "cli",
      title: "Command line",
      text: `toolplane call ${quote(tool)}${hasArguments ? ` --args ${quote(json)}` : ""}`,
    },
    {
      name: "curl",
      title: "curl",
      text: `curl -s ${quote(address)}${key} \\\n  -d ${quote(JSON.stringify({ arguments: args }))}`,
    },
    { name: "typescript", title: "TypeScript", text: renderTypeScript(tool, args) },
  ];
}

function renderTypeScript(tool: string, args: UnknownObject): string {
  const argumentText = JSON.stringify(args, null, 2);
  return [
    'import { createPlane } from "toolplane";',
    "",
    'await using plane = await createPlane({ config: ["toolplane.json"] });',
    `const outcome = await plane.call(${JSON.stringify(tool)}, ${argumentText});`,
    "console.log(outcome.ok ? outcome.result : outcome.error);",
    "",
  ].join("\n");
}

/** Quotes for a POSIX shell. */
function quote(text: string): string {
  return /^[\w./:=@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
