import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { type PinDiff, pinStatuses } from "../../../model/catalogue/pin.ts";
import type { TextOptions } from "../cli.ts";
import { colors, renderMoment, table } from "../terminal/output.ts";
import { command } from "../with-plane.ts";
import { oneOf, pick } from "./option-values.ts";

export const listPins = command(
  (plane, { server, status }: TextOptions<"server" | "status">) =>
    plane.pins.list(withoutUndefined({ server, status: oneOf("--status", status, pinStatuses) })),
  (pins) =>
    table(pins, "No tool of a server is like that.", {
      TOOL: ({ name }) => name,
      STATUS: ({ status }) => status,
      CALLABLE: ({ held }) => (held === null ? "yes" : "quarantined"),
      SINCE: ({ at }) => (at === null ? "" : renderMoment(at)),
      BY: ({ by }) => by?.system ?? by?.user ?? "",
      WHY: ({ reason }) => reason ?? "",
    }),
  (pins) => ({ pins }),
);

export const diffPin = command((plane, name: string) => plane.pins.get(name), renderDiff);

export const decidePin = command(
  (plane, name: string, verb: "accept" | "reject", options: TextOptions<"reason">) =>
    plane.pins[verb](name, pick(options, "reason"), { face: "cli" }),
  ({ name }, [, verb]) =>
    verb === "accept"
      ? `The definition of '${name}' is pinned.`
      : `'${name}' is quarantined. 'toolplane pins accept ${name}' takes it after all.`,
);

function renderDiff({ name, status, held, difference }: PinDiff): string {
  const standing = { pinned: "is as it was pinned", new: "was never pinned", changed: null, rejected: null }[status];
  return [
    `${colors.bold(plainText(name))} ${standing ?? "is not what was pinned"}${held === null ? "" : ", and quarantined"}.`,
    ...difference.flatMap(({ where, before, after }) => [
      plainText(where),
      ...(before === null ? [] : [colors.red(`  − ${plainText(before)}`)]),
      ...(after === null ? [] : [colors.green(`  + ${plainText(after)}`)]),
    ]),
  ].join("\n");
}
