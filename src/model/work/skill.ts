import * as z from "zod/mini";

const text = z.string().check(z.minLength(1));
const names = z.array(text);

/** `model`, or else `provider`, names a configured model. */
const Participant = z.strictObject({
  id: text,
  provider: z.optional(z.string()),
  model: z.optional(z.string()),
  system_prompt: z.optional(z.string()),
  weight: z.optional(z.number().check(z.minimum(0))),
  metadata: z.optional(z.record(z.string(), z.json())),
});
export type Participant = z.infer<typeof Participant>;

/** How several participants agree; times in seconds. */
const Collaboration = z.strictObject({
  enabled: z._default(z.boolean(), false),
  protocol: z._default(z.enum(["vote", "critique", "contract_net"]), "vote"),
  quorum: z._default(z.number().check(z.minimum(0), z.maximum(1)), 0.5),
  timeout: z._default(z.number().check(z.positive(), z.maximum(86_400)), 10),
  participants: z._default(z.array(Participant), []),
});
export type Collaboration = z.infer<typeof Collaboration>;

/** Arguments may refer to `${input.…}` and `${steps.ID.result.…}`; `when` skips it where that is missing or falsy. */
const SkillStep = z.strictObject({
  id: z
    .string()
    .check(
      z.regex(
        /^[A-Za-z_][\w-]*$/,
        "must be letters, digits, _ and -, and must not start with a digit",
      ),
    ),
  tool: text,
  arguments: z._default(z.record(z.string(), z.json()), {}),
  depends_on: z._default(names, []),
  when: z.optional(text),
});
export type SkillStep = z.infer<typeof SkillStep>;

/** Instructions with the tools and capabilities they need. */
export const SkillManifest = z.strictObject({
  name: text,
  version: text,
  instruction_prompt: text,
  required_tools: names,
  required_capabilities: names,
  safety_notes: z.string(),
  summary: z.optional(z.string()),
  category: z.optional(z.string()),
  capability_tags: z._default(names, []),
  collaboration: z.optional(Collaboration),
  /** Without steps a model follows the instructions. */
  steps: z.optional(z.array(SkillStep).check(z.minLength(1))),
  persona: z.optional(text),
});
export type SkillManifest = z.infer<typeof SkillManifest>;

/** The named tools, and those of its steps. */
export function toolsOfSkill(skill: Pick<SkillManifest, "required_tools" | "steps">): string[] {
  return [...new Set([...skill.required_tools, ...(skill.steps ?? []).map(({ tool }) => tool)])];
}
