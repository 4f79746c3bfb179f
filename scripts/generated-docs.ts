import { errorTable } from "../src/model/errors.ts";

/** What the documents repeat from the code. Written by `npm run docs`, compared in a test. */
export function generatedDocs(): { path: string; text: string }[] {
  return [{ path: "docs/errors.md", text: renderErrors() }];
}

function renderErrors(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { http, rpc, exit, retryable, category, means }]) =>
      `| \`${code}\` | ${means} | ${http} | ${rpc} | ${exit} | ${category} | ${retryable ? "yes" : "no"} |`,
  );
  return `# Errors

Every error has one code, and every face shows the same one: the command line behind its message and as exit
code, HTTP as status and \`code\` of the problem document, the library in \`outcome.error.code\`.

<!-- Generated from src/model/errors.ts by npm run docs. -->

| code | means | HTTP | JSON-RPC | exit | category | worth trying again |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join("\n")}

Three kinds of failure are kept apart, because they want different reactions:

- **the tool said no** (\`TOOL_ERROR\`): it ran and reported an error. That is an answer, and a model should read it.
- **a provider failed** (categories \`dependency\`, \`transient\`, and \`PROVIDER_FAILED\`): it counts against the
  provider's health. It is tried again only where running twice does no harm.
- **the plane refused** (categories \`validation\` and \`policy\`): the server was never contacted.

## An error as data

\`\`\`json
{
  "code": "INVALID_ARGUMENTS",
  "category": "validation",
  "message": "The arguments of 'demo.add' do not fit: /a must be number, got string. It takes: a (number, required), b (number, required).",
  "recoverable": false,
  "server": null,
  "tool": "demo.add",
  "attempts": 0,
  "cause": null,
  "data": { "problems": [{ "path": "/a", "message": "must be number, got string" }] }
}
\`\`\`
`;
}
