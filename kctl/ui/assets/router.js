// Addresses: the part of the URL after the #.

import { h } from './dom.js';

/** @typedef {import('./api.js').Kind} Kind */

/** @typedef {{page: string, parts: string[], query: URLSearchParams}} Address */

/** @returns {Address} */
export function address() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').map(decodeURIComponent);
  return { page: parts[0] ?? '', parts: parts.slice(1), query: new URLSearchParams(query ?? '') };
}

/** @param {{group: string, version: string, resource: string}} kind @param {Record<string, string>} [query] */
export function listAddress(kind, query = {}) {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return `#/list/${kind.group || 'core'}/${kind.version}/${kind.resource}${text ? `?${text}` : ''}`;
}

/** @param {{group: string, version: string, resource: string}} kind @param {string} namespace @param {string} name @param {string} [tab] */
export function objectAddress(kind, namespace, name, tab = '') {
  const place = [kind.group || 'core', kind.version, kind.resource, namespace || '-', name].map(encodeURIComponent).join('/');
  return `#/object/${place}${tab ? `/${tab}` : ''}`;
}

/** @param {string} hash */
export function go(hash) {
  if (location.hash === hash) dispatchEvent(new HashChangeEvent('hashchange'));
  else location.hash = hash;
}

/** Another query for the same page, without a step in the browser's history. @param {Record<string, string>} query */
export function remember(query) {
  const path = location.hash.split('?')[0];
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  history.replaceState(null, '', text ? `${path}?${text}` : path);
}

/** @param {string} hash @param {import('./dom.js').Child} text @param {Record<string, any>} [attributes] */
export function link(hash, text, attributes = {}) {
  return h('a', { href: hash, ...attributes }, text);
}
