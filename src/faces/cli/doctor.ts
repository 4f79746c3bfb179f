import { plainText } from "../../lib/text/plain-text.ts";
import type { DoctorReport } from "../../model/config/setup.ts";
import { tellOfBackground } from "./background.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { print, printJson } from "./output.ts";
import { withPlane } from "./with-plane.ts";

export async function runDoctor(cli: Cli, server: string | undefined, options: GlobalOptions): Promise<number> {
  return withPlane(cli, options, async (plane) => {
    const report = await plane.doctor(server);
    if (!options.json) print(renderReport(report));
    const background = await tellOfBackground(cli, plane, options);
    if (options.json) printJson({ ...report, ...(background === null ? {} : { plane: background }) });
    return report.servers.every(({ ok }) => ok) ? 0 : 1;
  });
}

function indented(text: string): string {
  return plainText(text).replaceAll("\n", "\n        ");
}

function renderReport({ servers }: DoctorReport): string {
  if (servers.length === 0) return "No servers are configured.";
  return servers
    .map(({ name, ok, checks }) => {
      const head = `${ok ? colors.green("✔") : colors.red("✖")} ${colors.bold(name)}`;
      const lines = checks.map((check) => {
        const mark = check.ok ? colors.green("✔") : colors.red("✖");
        const fix = check.fix === null ? "" : `\n      ${colors.yellow("fix:")} ${plainText(check.fix)}`;
        return `    ${mark} ${check.name}: ${indented(check.detail)}${fix}`;
      });
      return [head, ...lines].join("\n");
    })
    .join("\n");
}
