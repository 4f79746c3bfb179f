import type { ToolListing } from "../../model/plane-tools.ts";

/** A tool as the discovery API shows it: everything a manifest can say stands beside its name, known or null. */
export function renderTool(tool: ToolListing) {
  const { metadata, groups, trusted, consent } = tool;
  const { auth, capabilities } = metadata;
  return {
    ...tool,
    version: metadata.version,
    capabilities,
    capability_tags: capabilities.map((tag) => tag.toLowerCase()),
    auth,
    auth_required: auth.required,
    auth_scopes: auth.scopes ?? [],
    safety_level: metadata.safety_level ?? null,
    requires_consent: metadata.requires_consent,
    allow_parallel: metadata.allow_parallel,
    idempotency_key: metadata.idempotency_key,
    default_timeout: metadata.default_timeout ?? null,
    side_effects: metadata.side_effects,
    cost_per_call: metadata.cost_per_call ?? null,
    cost_unit: metadata.cost_unit ?? null,
    persona_allowlist: metadata.persona_allowlist ?? null,
    /** What the configuration, not the tool's author, decides. */
    settings: { groups, trusted, consent },
  };
}
