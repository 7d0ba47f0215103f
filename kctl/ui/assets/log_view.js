// What a pod's containers print, as they print it.

import { follow, pathOf, Refusal } from './api.js';
import { button, fill, h } from './dom.js';
import { pause } from './live.js';

const FIRST = 2000; // lines
const MOST = 5000;
const AGAIN = 2000; // milliseconds until a container that has not started is asked again

/** @param {import('./api.js').Kind} kind @param {import('./api.js').Json} first @returns {import('./object_page.js').View} */
export function logView(kind, first) {
  const names = [...(first.spec?.containers ?? []), ...(first.spec?.initContainers ?? [])].map((one) => one.name);
  const chosen = /** @type {HTMLSelectElement} */ (h('select', { 'aria-label': 'Container', on: { change: () => load() } }, names.map((name) => h('option', null, name))));
  const code = h('div.code', { tabindex: '0', role: 'log', 'aria-label': 'Log' });
  const said = h('span.muted', { role: 'status' });
  let control = new AbortController();

  /** Whoever has scrolled up stays there. @param {string[]} lines */
  const add = (lines) => {
    const atEnd = code.scrollHeight - code.scrollTop - code.clientHeight < 40;
    code.append(...lines.map((line) => h('div.line', null, `${line}\n`)));
    while (code.childElementCount > MOST) code.firstElementChild?.remove();
    if (atEnd) code.scrollTop = code.scrollHeight;
  };

  /** @param {AbortSignal} signal */
  const read = async (signal) => {
    const query = new URLSearchParams({ container: chosen.value, tailLines: String(FIRST), follow: 'true' });
    let begun = '';
    for await (const piece of follow(`${pathOf(kind, first.metadata.namespace, first.metadata.name)}/log?${query}`, signal)) {
      const lines = (begun + piece).split('\n');
      begun = lines.pop() ?? '';
      add(lines);
    }
    if (begun) add([begun]);
  };

  const load = async () => {
    control.abort();
    control = new AbortController();
    const { signal } = control;
    fill(code);
    while (!signal.aborted) {
      fill(said, 'following');
      try {
        await read(signal);
        if (!signal.aborted) fill(said, code.childElementCount ? 'it prints no more' : 'it has printed nothing');
        return;
      } catch (error) {
        if (signal.aborted) return;
        fill(said, error instanceof Error ? error.message : String(error));
        if (!(error instanceof Refusal) || (error.code !== 400 && !error.isGone)) return;
        await pause(AGAIN);
        fill(code);
      }
    }
  };
  load();
  return {
    element: h('div', null, h('div.view-tools', null, chosen, said, h('div.push'), button('Again', load, { class: 'quiet' })), code),
    show() {},
    stop: () => control.abort(),
  };
}
