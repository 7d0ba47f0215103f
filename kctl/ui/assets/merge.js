// Two changes of the same thing, brought together.

/** @typedef {{merged: any, conflicts: string[]}} Merged */

/**
 * What `mine` and `theirs` have made of `base`; where both changed the same field differently, mine is taken and named.
 * @param {any} base @param {any} mine @param {any} theirs @param {string} [path] @returns {Merged}
 */
export function merge(base, mine, theirs, path = '') {
  if (same(mine, theirs) || same(base, theirs)) return { merged: mine, conflicts: [] };
  if (same(base, mine)) return { merged: theirs, conflicts: [] };
  if (!isMap(mine) || !isMap(theirs)) return { merged: mine, conflicts: [path] };
  /** @type {Record<string, any>} */
  const merged = {};
  /** @type {string[]} */
  const conflicts = [];
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const part = merge(isMap(base) ? base[name] : undefined, mine[name], theirs[name], path ? `${path}.${name}` : name);
    conflicts.push(...part.conflicts);
    if (part.merged !== undefined) merged[name] = part.merged;
  }
  return { merged, conflicts };
}

/** @param {any} value */
function isMap(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** @param {any} one @param {any} other @returns {boolean} */
function same(one, other) {
  if (one === other) return true;
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object' || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => name in other && same(one[name], other[name]));
}
