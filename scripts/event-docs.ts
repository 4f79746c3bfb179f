import { eventMeanings } from "../src/model/events.ts";

/** docs/events.md: every event with its fields, from the table that the code reads. */
export function renderEventDocs(): string {
  const rows = Object.entries(eventMeanings).map(([type, means]) => `| \`${type}\` | ${means} |`);
  return `# Events

Generated from \`src/model/events.ts\` by \`npm run docs\`. How to receive them is described in
[observability.md](observability.md#events). No event holds an argument or a result.

| event | tells |
| --- | --- |
${rows.join("\n")}
`;
}
