import pico from "picocolors";
import { terminal } from "./terminal.ts";

/** For people only: a log or a pipe gets plain text, also on a build machine. */
export const colors = pico.createColors(isColored());

/** Another terminal may want others. */
export function recolor(): void {
  Object.assign(colors, pico.createColors(isColored()));
}

function isColored(): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = terminal.env;
  const forced = Boolean(FORCE_COLOR) && FORCE_COLOR !== "0";
  const watched = terminal.stdout.isTTY === true && TERM !== "dumb";
  return !NO_COLOR && (forced || watched);
}
