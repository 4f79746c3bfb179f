import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { type PinDiff, type PinView, pinStatuses } from "../../../model/catalogue/pin.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import { colors, print, printJson, renderTable, show } from "../terminal/output.ts";
import { withPlane } from "../with-plane.ts";
import { oneOf } from "./option-values.ts";

export async function listPins(cli: Cli, options: TextOptions<"server" | "status">): Promise<void> {
  const status = oneOf("--status", options.status, pinStatuses);
  const filter = withoutUndefined({ server: options.server, status });
  const pins = await withPlane(cli, options, (plane) => plane.pins.list(filter));
  show(options, { pins }, () => (pins.length === 0 ? "No tool of a server is like that." : renderPins(pins)));
}

export async function diffPin(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const pin = await withPlane(cli, options, (plane) => plane.pins.get(name));
  show(options, pin, () => renderDiff(pin));
}

export async function decidePin(
  cli: Cli,
  name: string,
  verb: "accept" | "reject",
  { reason, ...options }: TextOptions<"reason">,
): Promise<void> {
  const why = withoutUndefined({ reason });
  const pin = await withPlane(cli, options, (plane) =>
    verb === "accept" ? plane.pins.accept(name, why, { face: "cli" }) : plane.pins.reject(name, why, { face: "cli" }),
  );
  if (options.json) return printJson(pin);
  print(
    verb === "accept"
      ? `The definition of '${pin.name}' is pinned.`
      : `'${pin.name}' is quarantined. 'toolplane pins accept ${pin.name}' takes it after all.`,
  );
}

function renderPins(pins: readonly PinView[]): string {
  return renderTable(
    ["TOOL", "STATUS", "CALLABLE", "SINCE", "BY", "WHY"],
    pins.map(({ name, status, held, at, by, reason }) => [
      name,
      status,
      held === null ? "yes" : "quarantined",
      at === null ? "" : at.slice(0, 19).replace("T", " "),
      by?.system ?? by?.user ?? "",
      reason ?? "",
    ]),
  );
}

function renderDiff({ name, status, held, difference }: PinDiff): string {
  const say = { pinned: "is as it was pinned", new: "was never pinned" } as const;
  const standing = status === "pinned" || status === "new" ? say[status] : "is not what was pinned";
  return [
    `${colors.bold(plainText(name))} ${standing}${held === null ? "" : ", and quarantined"}.`,
    ...difference.flatMap(({ where, before, after }) => [
      plainText(where),
      ...(before === null ? [] : [colors.red(`  − ${plainText(before)}`)]),
      ...(after === null ? [] : [colors.green(`  + ${plainText(after)}`)]),
    ]),
  ].join("\n");
}
