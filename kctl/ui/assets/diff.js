// What is different between two texts, line by line: Myers' algorithm, as far as it is cheap.

/** @typedef {{type: 'same' | 'old' | 'new', text: string}} Change */

const FARTHEST = 1500;

/** @param {string[]} before @param {string[]} after @returns {Change[]} */
export function diffLines(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (/** @type {string} */ text) => /** @type {Change} */ ({ type: 'same', text });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** @param {string[]} before @param {string[]} after @returns {Change[]} */
function middle(before, after) {
  const trace = [];
  /** @type {Map<number, number>} */
  let reach = new Map([[1, 0]]);
  const most = Math.min(before.length + after.length, FARTHEST);
  for (let distance = 0; distance <= most; distance++) {
    trace.push(reach);
    const next = new Map(reach);
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const down = diagonal === -distance || (diagonal !== distance && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1));
      let x = down ? reach.get(diagonal + 1) ?? 0 : (reach.get(diagonal - 1) ?? 0) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(trace, before, after);
    }
    reach = next;
  }
  return [
    ...before.map((text) => /** @type {Change} */ ({ type: 'old', text })),
    ...after.map((text) => /** @type {Change} */ ({ type: 'new', text })),
  ];
}

/** @param {Map<number, number>[]} trace @param {string[]} before @param {string[]} after @returns {Change[]} */
function walkBack(trace, before, after) {
  /** @type {Change[]} */
  const changes = [];
  let x = before.length;
  let y = after.length;
  for (let distance = trace.length - 1; distance >= 0; distance--) {
    const reach = trace[distance];
    const diagonal = x - y;
    const down = diagonal === -distance || (diagonal !== distance && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1));
    const from = down ? diagonal + 1 : diagonal - 1;
    const beforeX = distance ? reach.get(from) ?? 0 : 0;
    const beforeY = distance ? beforeX - from : 0;
    while (x > beforeX && y > beforeY) {
      changes.push({ type: 'same', text: before[--x] });
      y--;
    }
    if (!distance) break;
    if (x === beforeX) changes.push({ type: 'new', text: after[--y] });
    else changes.push({ type: 'old', text: before[--x] });
  }
  return changes.reverse();
}

/**
 * With a few lines around what differs; `null` stands for what is left out.
 * @param {Change[]} changes @param {number} [around] @returns {(Change | null)[]}
 */
export function excerpt(changes, around = 3) {
  const near = new Set();
  changes.forEach((change, index) => {
    if (change.type !== 'same') for (let place = index - around; place <= index + around; place++) near.add(place);
  });
  /** @type {(Change | null)[]} */
  const shown = [];
  changes.forEach((change, index) => {
    if (near.has(index)) shown.push(change);
    else if (shown.at(-1) !== null || !shown.length) shown.push(null);
  });
  return shown;
}
