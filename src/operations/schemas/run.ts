import { AgentRun } from "../../model/agent/run-schema.ts";

export const RunSchema = AgentRun.omit({ owner: true }).meta({
  id: "Run",
  description: "What an agent did. Without what looks like a secret.",
});

export const RunSummarySchema = RunSchema.omit({ steps: true, messages: true }).meta({
  id: "RunSummary",
});
