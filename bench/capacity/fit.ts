/** A run as an equation: so much of each known amount together took this long. */
export type Equation = { amounts: readonly number[]; took: number };

/**
 * What one of each amount costs, so that the sum of the squared relative errors is least and nothing costs less than nothing. There are four amounts at most, so every choice of those that
 * cost something is tried.
 */
export function fitCosts(equations: readonly Equation[]): number[] {
  const size = equations[0]?.amounts.length ?? 0;
  let best = { error: Number.POSITIVE_INFINITY, costs: Array.from({ length: size }, () => 0) };
  for (let chosen = 1; chosen < 1 << size; chosen += 1) {
    const places = Array.from({ length: size }, (_, at) => at).filter((at) => (chosen >> at) & 1);
    const found = solveLeastSquares(equations, places);
    if (found === null || found.some((cost) => cost < 0)) continue;
    const costs = Array.from({ length: size }, (_, at) => found[places.indexOf(at)] ?? 0);
    const error = equations.reduce((sum, one) => sum + relativeError(one, costs) ** 2, 0);
    if (error < best.error) best = { error, costs };
  }
  return best.costs;
}

function relativeError({ amounts, took }: Equation, costs: readonly number[]): number {
  return amounts.reduce((sum, amount, at) => sum + amount * (costs[at] ?? 0), 0) / took - 1;
}

function solveLeastSquares(
  equations: readonly Equation[],
  places: readonly number[],
): number[] | null {
  const rows = equations.map(({ amounts, took }) => places.map((at) => (amounts[at] ?? 0) / took));
  const matrix = places.map((_, a) => [
    ...places.map((_, b) => rows.reduce((sum, row) => sum + (row[a] ?? 0) * (row[b] ?? 0), 0)),
    rows.reduce((sum, row) => sum + (row[a] ?? 0), 0),
  ]);
  return solve(matrix);
}

/** By elimination; null where there is no single solution. */
function solve(matrix: number[][]): number[] | null {
  const size = matrix.length;
  for (let at = 0; at < size; at += 1) {
    const pivot = matrix[at] as number[];
    const lead = pivot[at] as number;
    if (Math.abs(lead) < 1e-12) return null;
    for (const row of matrix) {
      if (row === pivot) continue;
      const factor = (row[at] as number) / lead;
      for (let column = at; column <= size; column += 1)
        row[column] = (row[column] as number) - factor * (pivot[column] as number);
    }
  }
  return matrix.map((row, at) => (row[size] as number) / (row[at] as number));
}
