import { beforeOutput, colors } from "./output.ts";
import { terminal } from "./terminal.ts";

const width = 24;
const shortestMs = 100;

export type ProgressBar = Disposable & { add(ok: boolean): void };

/** A bar for a person at a terminal; else nothing. */
export function showProgress(total: number, already: number): ProgressBar {
  if (!terminal.stderr.isTTY) return { add() {}, [Symbol.dispose]() {} };
  const startedAt = Date.now();
  let done = already;
  let failed = 0;
  let drawnAt = 0;
  const clear = () => void terminal.stderr.write("\r\u001b[K");
  const draw = () => {
    drawnAt = Date.now();
    const share = done / total;
    const filled = Math.round(share * width);
    const each = (drawnAt - startedAt) / Math.max(1, done - already);
    const left = Math.ceil(((total - done) * each) / 1000);
    const bar = `${colors.cyan("█".repeat(filled))}${colors.dim("░".repeat(width - filled))}`;
    const trouble = failed > 0 ? colors.red(` ${failed} failed`) : "";
    terminal.stderr.write(
      `\r\u001b[K${bar} ${done}/${total}${trouble} ${colors.dim(`${left} s left`)}`,
    );
    // What is printed in between takes the place of the bar until it is drawn again.
    beforeOutput.add(clear);
  };
  draw();
  return {
    add(ok) {
      done += 1;
      if (!ok) failed += 1;
      if (done === total || Date.now() - drawnAt >= shortestMs) draw();
    },
    [Symbol.dispose]() {
      beforeOutput.delete(clear);
      clear();
    },
  };
}
