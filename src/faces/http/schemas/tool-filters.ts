import { z } from "@hono/zod-openapi";
import { sideEffects } from "../../../model/tool.ts";
import { withoutShared } from "../../../model/tool-query.ts";
import { Cursor, Limit } from "../paging.ts";

const list = (description: string, of: z.ZodType = z.string()) =>
  z
    .array(of)
    .optional()
    .openapi({ description: `${description} Repeated, or separated by commas.` });
const text = (description: string) => z.string().optional().openapi({ description });
const flag = (description: string) => z.boolean().optional().openapi({ description });

/** What `parseToolQuery` takes, in words; it alone decides. A test compares the names. */
export const ToolFilters = z.object({
  persona: list(
    `What belongs to these personas, and what is shared; ${withoutShared.join(", ")} leave out what is shared.`,
  ),
  provider: list("Tools that have all of these kinds of provider."),
  capability: list("Tools that have all of these capabilities, in any case."),
  version: text("A semver range: `^1.2`, `~1.2`, `1.x`, `>=1.2, <2`, `1.2 || ^3`; `1.2` is 1.2.0."),
  min_success_rate: text("`0.8`, `80` or `80%`; `1` is all of them."),
  include_unused: flag("Tools nobody has called; left out only where a success rate above 0 is asked for."),
  side_effects: list("Tools with one of these.", z.enum(sideEffects)),
  safety_level: list("Tools with one of these.", z.enum(["low", "medium", "high"])),
  server: text("The tools of this server."),
  group: list("Tools of one of these groups; `default` when left out, `*` for all, an empty one for none."),
  state: text("Tools that are there in this state."),
  q: text("Words that the name, the title, the description or the capabilities contain."),
  limit: Limit,
  cursor: Cursor,
  include_provider_health: flag("False leaves out the health of each provider."),
});
