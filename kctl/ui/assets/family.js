// Owners and owned as a tree, from the outermost owner down.

import { h } from './dom.js';
import { objectAddress } from './router.js';

/**
 * @typedef {object} Member
 * @property {string} uid
 * @property {string} group
 * @property {string} version
 * @property {string} resource
 * @property {string} kind
 * @property {string} namespace
 * @property {string} name
 * @property {string[]} owners
 * @property {string | null} deleted
 */

const MOST = 120;

/** @param {Member[]} members @param {string} self @returns {HTMLElement} */
export function familyTree(members, self) {
  if (members.length < 2) return h('p.muted', null, 'It belongs to nothing, and nothing belongs to it.');
  const known = new Map(members.map((one) => [one.uid, one]));
  /** @type {Map<string, Member[]>} */
  const below = new Map();
  for (const one of members) for (const owner of one.owners) below.set(owner, [...(below.get(owner) ?? []), one]);
  const seen = new Set();
  let left = MOST;
  /** @param {Member} one @returns {HTMLElement | null} */
  const branch = (one) => {
    if (seen.has(one.uid) || left-- < 0) return null;
    seen.add(one.uid);
    const children = (below.get(one.uid) ?? []).sort((a, b) => (`${a.kind}${a.name}` < `${b.kind}${b.name}` ? -1 : 1));
    return h('li', null, memberLink(one, one.uid === self), children.length > 0 && h('ul', null, children.map(branch)));
  };
  const roots = members.filter((one) => !one.owners.some((owner) => known.has(owner)));
  const tree = h('ul.tree', null, roots.map(branch));
  if (left < 0) tree.append(h('li', null, h('span.muted', null, `and ${-left} more`)));
  return tree;
}

/** @param {Member} one @param {boolean} [isSelf] */
export function memberLink(one, isSelf = false) {
  const text = [h('span.faint', null, `${one.kind} `), one.name, one.deleted && h('span.busy', null, ' terminating')];
  return isSelf ? h('strong', { 'aria-current': 'true' }, text) : h('a', { href: objectAddress(one, one.namespace, one.name) }, text);
}
