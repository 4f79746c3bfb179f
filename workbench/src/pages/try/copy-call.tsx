import type { UnknownObject } from "../../../../src/model/json.ts";
import { useNeedsCredentials } from "../../app/session.ts";
import { CodeView } from "../../parts/code-view.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Tabs } from "../../parts/tabs.tsx";

type CopyCallProps = { tool: string; args: UnknownObject; onClose: () => void };

/** The call as other programs make it. */
export function CopyCall({ tool, args, onClose }: CopyCallProps) {
  const calls = renderCall(tool, args, window.location.origin, useNeedsCredentials());
  const tabs = calls.map(({ name, title, text }) => ({
    name,
    title,
    content: <CodeView wrap label={title} text={text} />,
  }));
  return (
    <Dialog open wide title="Copy the call" onClose={onClose}>
      <Tabs label="Copy as" tabs={tabs} />
    </Dialog>
  );
}

type CopiedCall = { name: string; title: string; text: string };

/** The call for the command line, curl and TypeScript. */
function renderCall(
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
