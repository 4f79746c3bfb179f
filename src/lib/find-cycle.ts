type Node = { id: string; dependsOn: readonly string[] };

/** The first cycle, with its first node again at the end; null when there is none. */
export function findCycle(nodes: readonly Node[]): string[] | null {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isDone = new Set<string>();
  for (const { id } of nodes) {
    // Not recursive: a long chain must not overflow the stack.
    const path: { id: string; rest: string[] }[] = [
      { id, rest: [...(byId.get(id)?.dependsOn ?? [])] },
    ];
    const onPath = new Set([id]);
    while (path.length > 0) {
      const top = path.at(-1) as { id: string; rest: string[] };
      const next = top.rest.shift();
      if (next === undefined) {
        isDone.add(top.id);
        onPath.delete(top.id);
        path.pop();
      } else if (onPath.has(next)) {
        const from = path.findIndex((one) => one.id === next);
        return [...path.slice(from).map((one) => one.id), next];
      } else if (!isDone.has(next) && byId.has(next)) {
        onPath.add(next);
        path.push({ id: next, rest: [...(byId.get(next)?.dependsOn ?? [])] });
      }
    }
  }
  return null;
}
