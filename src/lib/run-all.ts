type Step = () => unknown;

/** Runs every step in order, those of an inner list together, whatever becomes of others. The first failure is thrown at the end. */
export async function runAll(steps: readonly (Step | readonly Step[])[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    const settled = await Promise.allSettled([step].flat().map(async (one) => one()));
    for (const one of settled) if (one.status === "rejected") failures.push(one.reason);
  }
  if (failures.length > 0) throw failures[0];
}
