import { beforeOutput, colors } from "./output.ts";
import { terminal } from "./terminal.ts";

const width = 24;
const minDrawMs = 100;

export type ProgressBar = Disposable & { add(ok: boolean): void };

/** A bar for a person at a terminal; else nothing. */
export function showProgress(total: number, doneBefore: number): ProgressBar {
  if (!terminal.stderr.isTTY) return { add() {}, [Symbol.dispose]() {} };
  const startedAt = Date.now();
  let done = doneBefore;
  let failed = 0;
  let drawnAt = 0;
  const clear = () => void terminal.stderr.write("\r\u001b[K");
  const draw = () => {
    drawnAt = Date.now();
    const share = done / total;
    const filled = Math.round(share * width);
    const msPerEntry = (drawnAt - startedAt) / Math.max(1, done - doneBefore);
    const secondsLeft = Math.ceil(((total - done) * msPerEntry) / 1000);
    const bar = `${colors.cyan("█".repeat(filled))}${colors.dim("░".repeat(width - filled))}`;
    const trouble = failed > 0 ? colors.red(` ${failed} failed`) : "";
    terminal.stderr.write(
      `\r\u001b[K${bar} ${done}/${total}${trouble} ${colors.dim(`${secondsLeft} s left`)}`,
    );
    // What is printed in between takes the place of the bar until it is drawn again.
    beforeOutput.add(clear);
  };
  draw();
  return {
    add(ok) {
      done += 1;
      if (!ok) failed += 1;
      if (done === total || Date.now() - drawnAt >= minDrawMs) draw();
    },
    [Symbol.dispose]() {
      beforeOutput.delete(clear);
      clear();
    },
  };
}
