/** Most people may see their own calls only, and those may be few among many. */
export const callsByUser = {
  id: 9,
  sql: "CREATE INDEX calls_by_user ON calls (user, sequence);",
} as const;
