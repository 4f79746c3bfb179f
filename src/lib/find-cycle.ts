type Node = { id: string; dependsOn: readonly string[] };

type PathStep = { id: string; unvisited: string[] };

/** The first cycle, with its first node again at the end; null when there is none. */
export function findCycle(nodes: readonly Node[]): string[] | null {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stepTo = (id: string): PathStep => ({
    id,
    unvisited: [...(byId.get(id)?.dependsOn ?? [])],
  });
  const isDone = new Set<string>();
  for (const { id } of nodes) {
    // Not recursive: a long chain must not overflow the stack.
    const path = [stepTo(id)];
    const onPath = new Set([id]);
    while (path.length > 0) {
      const top = path.at(-1) as PathStep;
      const next = top.unvisited.shift();
      if (next === undefined) {
        isDone.add(top.id);
        onPath.delete(top.id);
        path.pop();
      } else if (onPath.has(next)) {
        const cycleStart = path.findIndex((step) => step.id === next);
        return [...path.slice(cycleStart).map((step) => step.id), next];
      } else if (!isDone.has(next) && byId.has(next)) {
        onPath.add(next);
        path.push(stepTo(next));
      }
    }
  }
  return null;
}
