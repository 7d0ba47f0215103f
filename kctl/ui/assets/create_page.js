// A new object, from a skeleton of its kind.

import { ask, pathOf, Refusal, request } from './api.js';
import { yamlText } from './code.js';
import { toast } from './dialog.js';
import { button, fill, h } from './dom.js';
import { go, link, listAddress, objectAddress } from './router.js';
import { state } from './state.js';
import { linesOf, without } from './yaml.js';
import { NOISE } from './yaml_view.js';

/** @typedef {import('./api.js').Kind} Kind */

/** @param {Kind} kind @returns {import('./main.js').Page} */
export function createPage(kind) {
  const text = /** @type {HTMLTextAreaElement} */ (h('textarea.editor', { spellcheck: 'false', 'aria-label': 'YAML of the new object', autocomplete: 'off', wrap: 'off' }));
  const said = h('div.verdict', { role: 'status', 'aria-live': 'polite' });
  const space = state.namespace || state.about.namespace || 'default';
  ask('skeleton', { group: kind.group, version: kind.version, resource: kind.resource })
    .then((answer) => { if (!text.value) text.value = answer.text; })
    .catch(() => { if (!text.value) text.value = `apiVersion: ${kind.group ? `${kind.group}/` : ''}${kind.version}\nkind: ${kind.kind}\nmetadata:\n  name: ""\n`; });
  const namespace = () => /^metadata:\s*\n(?:[ \t]+.*\n)*?[ \t]+namespace:[ \t]*["']?([a-z0-9-]+)/m.exec(text.value)?.[1] ?? space;
  const post = (/** @type {boolean} */ dry) => request(`${pathOf(kind, namespace())}?fieldManager=kctl-ui&fieldValidation=Strict${dry ? '&dryRun=All' : ''}`, { method: 'POST', body: text.value, type: 'application/yaml' });
  const explain = (/** @type {unknown} */ error) => {
    if (!(error instanceof Refusal)) throw error;
    const causes = error.status.details?.causes ?? [];
    fill(said, h('div.note.bad', { role: 'alert' }, h('strong', null, 'The server refuses it. '), causes.length ? h('ul', null, causes.map((/** @type {any} */ one) => h('li', null, one.field && h('code', null, `${one.field} `), one.message))) : error.message));
  };
  const preview = async () => {
    try {
      const result = await post(true);
      fill(said, h('h2', null, 'This would be made'), h('div.code', { tabindex: '0', role: 'region', 'aria-label': 'What would be made' }, linesOf(without(result, NOISE)).map((line) => h('div.line', null, yamlText(line), '\n'))),
        h('div.actions', null, button(`Create it${kind.namespaced ? ` in ${namespace()}` : ''}`, create, { class: 'primary' })));
    } catch (error) {
      explain(error);
    }
  };
  const create = async () => {
    try {
      const made = await post(false);
      toast(`${kind.kind} ${made.metadata.name} created`, 'good');
      go(objectAddress(kind, made.metadata.namespace ?? '', made.metadata.name));
    } catch (error) {
      explain(error);
    }
  };
  return {
    title: `New ${kind.kind}`,
    element: h('section.page.object', null, h('p.crumbs', null, link(listAddress(kind), kind.kind)), h('header.object-head', null, h('h1', null, `New ${kind.kind}`), kind.namespaced && h('span.muted', null, `in ${space}, unless it says another namespace`)), text,
      h('div.actions.left', null, button('Try it', preview, { class: 'primary' }), h('span.muted.small', null, 'On the server, without making it.')), said),
    focus: () => text.focus(),
    keys: { u: () => go(listAddress(kind)) },
    stop() {},
  };
}
