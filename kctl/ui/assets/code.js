// Lines of YAML and of differences, coloured.

import { h } from './dom.js';
import { diffLines, excerpt } from './diff.js';

/** @param {import('./yaml.js').Line} line */
export function yamlText(line) {
  const kind = !line.value ? '' : line.value.startsWith('"') ? 'string' : /^(?:-?\d[\d.]*|true|false|null|\{\}|\[\])$/.test(line.value) ? 'literal' : 'plain';
  return [h('span.dash', null, line.lead), line.key && h('span.key', null, line.key), line.key && line.value ? ' ' : '', line.value && h('span', { class: kind }, line.value)];
}

/** @param {string} text */
function linesIn(text) {
  return text ? text.replace(/\n$/, '').split('\n') : [];
}

/**
 * @param {string} before @param {string} after @param {{label?: string}} [options]
 * @returns {HTMLElement}
 */
export function diffCode(before, after, options = {}) {
  const changes = diffLines(linesIn(before), linesIn(after));
  if (!changes.some((change) => change.type !== 'same')) return h('p.muted', null, 'Nothing is different.');
  const signs = { old: '−', new: '+', same: ' ' };
  return h('div.code.diff', { tabindex: '0', role: 'region', 'aria-label': options.label ?? 'Differences' }, excerpt(changes).map((change) =>
    change === null ? h('div.line.gap', { 'aria-hidden': 'true' }, '⋯\n') : h('div', { class: `line ${change.type}` }, h('span.sign', null, signs[change.type]), change.text, '\n')));
}
