import type { HealthSummary } from "../../model/catalogue/health.ts";

/**
 * How badly a provider does: the share of its last runs that failed, and a fifth for each of the last failures in a
 * row. The lower the better; 0 where nothing is known.
 */
export function providerScore({ total, failure }: HealthSummary, failuresInARow: number): number {
  return (total === 0 ? 0 : failure / total) + 0.2 * Math.min(failuresInARow, 5);
}
