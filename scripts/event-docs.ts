import { eventMeanings, transientEvents } from "../src/model/events.ts";

/** docs/events.md: every event with its fields, from the table that the code reads. */
export function renderEventDocs(): string {
  const rows = Object.entries(eventMeanings).map(([type, means]) => `- \`${type}\`: ${means}`);
  return `# Events

Generated from \`src/model/events.ts\` by \`npm run docs\`. No event holds an argument or a result.

\`\`\`sh
curl -sN http://127.0.0.1:7420/events                       # from now on; ?after=0 from the beginning
toolplane call demo.add a:=1 b:=2 --log-level debug --standalone    # on standard error, those of one command
\`\`\`

In the library, \`plane.on(type, listener)\` returns a function that ends the subscription. Events are kept; \`Last-Event-ID\` or \`?after=\` resumes a stream.
You get those of your own calls and runs, and of servers that you may use. ${transientEvents.map((type) => `\`${type}\``).join(", ")} are not kept: listeners
of the plane where they happen get them.

${rows.join("\n")}
`;
}
