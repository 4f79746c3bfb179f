/** The same function, which begins only when what it was asked before is over. */
export function oneByOne<Args extends unknown[], R>(
  work: (...args: Args) => Promise<R>,
): (...args: Args) => Promise<R> {
  let before: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const next = before.then(() => work(...args));
    before = next.catch(() => undefined);
    return next;
  };
}
