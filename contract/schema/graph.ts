// Owns the one question asked of reference graphs: what lies on a cycle.

/**
 * The nodes that lie on a cycle, or on a way from one cycle to another: what is left after taking away all
 * beginnings and all ends. Linear in nodes and edges, without recursion.
 */
export function cyclicNodes<Node>(edges: ReadonlyMap<Node, Iterable<Node>>): Set<Node> {
  const forward = new Map<Node, Node[]>();
  const backward = new Map<Node, Node[]>();
  const nodes = new Set<Node>();
  for (const [from, targets] of edges) {
    nodes.add(from);
    for (const to of targets) {
      nodes.add(to);
      append(forward, from, to);
      append(backward, to, from);
    }
  }
  peel(nodes, forward, backward);
  peel(nodes, backward, forward);
  return nodes;
}

/** Adds to the list of a key. */
export function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function peel<Node>(
  nodes: Set<Node>,
  forward: ReadonlyMap<Node, readonly Node[]>,
  backward: ReadonlyMap<Node, readonly Node[]>,
): void {
  const count = new Map<Node, number>();
  for (const node of nodes) {
    count.set(node, (backward.get(node) ?? []).filter((other) => nodes.has(other)).length);
  }
  const ready = [...nodes].filter((node) => count.get(node) === 0);
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    nodes.delete(node);
    for (const next of forward.get(node) ?? []) {
      const left = (count.get(next) ?? 0) - 1;
      count.set(next, left);
      if (left === 0 && nodes.has(next)) ready.push(next);
    }
  }
}
