// Deleting, after a look at what goes with it.

import { ask, pathOf, request } from './api.js';
import { openDialog, toast } from './dialog.js';
import { button, fill, h } from './dom.js';
import { memberLink } from './family.js';
import { address, go, listAddress } from './router.js';

/** @typedef {import('./api.js').Json} Json */
/** @typedef {import('./api.js').Kind} Kind */

const MOST = 60;

/** @param {Kind} kind @param {Json} object */
export async function confirmRemoval(kind, object) {
  const { name, namespace, uid } = object.metadata;
  const content = h('div', { 'aria-live': 'polite' }, h('p.muted', null, 'Looking what goes with it …'));
  const orphan = /** @type {HTMLInputElement} */ (h('input', { type: 'checkbox' }));
  const keep = h('label.choice', { hidden: true }, orphan, ' Keep what belongs to it');
  const sure = button(`Delete ${name}`, () => remove(), { class: 'danger', disabled: true });
  const dialog = openDialog(`Delete ${kind.kind} ${name}${namespace ? ` in ${namespace}` : ''}?`, [content, keep,
    h('div.actions', null, button('Cancel', () => dialog.close(), { autofocus: true }), sure)], { class: 'removal' });

  const remove = async () => {
    const body = { propagationPolicy: orphan.checked ? 'Orphan' : 'Background', preconditions: { uid } };
    dialog.close();
    try {
      await request(pathOf(kind, namespace, name), { method: 'DELETE', body: JSON.stringify(body) });
      toast(`${kind.kind} ${name} is being deleted`, 'good');
      if (address().page === 'object') go(listAddress(kind));
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), 'bad');
    }
  };
  let family;
  try {
    family = await ask('family', { uid });
  } catch (error) {
    family = { goes: [], more: 0, problem: error instanceof Error ? error.message : String(error) };
  }
  const goes = family.goes.length + family.more;
  const finalizers = object.metadata.finalizers ?? [];
  fill(content,
    family.problem ? h('p', null, `What goes with it is not known: ${family.problem}`)
    : goes ? [h('p', null, h('strong', null, `${goes} ${goes === 1 ? 'object goes' : 'objects go'} with it:`)), h('ul.links.goes', null, family.goes.slice(0, MOST).map((/** @type {any} */ one) => h('li', null, memberLink(one)))), goes > MOST && h('p.muted', null, `and ${goes - MOST} more`)]
    : h('p', null, 'Nothing else goes with it.'),
    finalizers.length > 0 && h('p', null, 'It stays until these are done with it: ', finalizers.join(', ')));
  keep.hidden = !goes || kind.resource === 'namespaces' || kind.resource === 'customresourcedefinitions';
  sure.disabled = false;
}
