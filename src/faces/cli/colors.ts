import pico from "picocolors";

const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
const forced = Boolean(FORCE_COLOR) && FORCE_COLOR !== "0";
const watched = process.stdout.isTTY === true && TERM !== "dumb";

/** For people only: a log or a pipe gets plain text, also on a build machine. */
export const colors = pico.createColors(!NO_COLOR && (forced || watched));
