// What a pod's containers have printed.

import { pathOf, requestText } from './api.js';
import { button, fill, h } from './dom.js';

/** @param {import('./api.js').Kind} kind @param {import('./api.js').Json} first @returns {import('./object_page.js').View} */
export function logView(kind, first) {
  const names = [...(first.spec?.containers ?? []), ...(first.spec?.initContainers ?? [])].map((one) => one.name);
  const chosen = /** @type {HTMLSelectElement} */ (h('select', { 'aria-label': 'Container', on: { change: () => load() } }, names.map((name) => h('option', null, name))));
  const code = h('div.code', { tabindex: '0', role: 'log', 'aria-label': 'Log' });
  const load = async () => {
    const path = `${pathOf(kind, first.metadata.namespace, first.metadata.name)}/log`;
    try {
      const text = await requestText(`${path}?${new URLSearchParams({ container: chosen.value, tailLines: '2000' })}`);
      fill(code, text ? text.replace(/\n$/, '').split('\n').map((line) => h('div.line', null, `${line}\n`)) : h('p.muted', null, 'It has printed nothing.'));
      code.scrollTop = code.scrollHeight;
    } catch (error) {
      fill(code, h('p.muted', null, error instanceof Error ? error.message : String(error)));
    }
  };
  load();
  return { element: h('div', null, h('div.view-tools', null, chosen, h('div.push'), button('Again', load, { class: 'quiet' })), code), show() {} };
}
