// An object as YAML: clean or whole, with a stripe for whoever owns the field.

import { age } from './ages.js';
import { yamlText } from './code.js';
import { button, fill, h } from './dom.js';
import { toast } from './dialog.js';
import { managersOf, ownerAt, ownersOf } from './ownership.js';
import { covered, isSecret } from './secrets.js';
import { linesOf, textOf, without } from './yaml.js';

/** @typedef {import('./api.js').Json} Json */

const HUES = 8;
/** What a server fills in, and nobody wrote. */
export const NOISE = ['metadata.managedFields', 'metadata.uid', 'metadata.resourceVersion', 'metadata.generation', 'metadata.creationTimestamp', 'metadata.selfLink', 'status'];

/** @param {import('./api.js').Kind} kind @returns {import('./object_page.js').View} */
export function yamlView(kind) {
  const code = h('div.code', { tabindex: '0', role: 'region', 'aria-label': 'YAML' });
  const legend = h('div.legend', { 'aria-label': 'Who owns which field' });
  let whole = false;
  let shown = !isSecret(kind);
  let picked = -1;
  /** @type {Json} */
  let object = {};

  const wholeButton = button('Whole', () => { whole = !whole; draw(); }, { class: 'quiet', title: 'With status and what the server filled in' });
  const reveal = button('Show the secret', () => { shown = !shown; draw(); }, { class: 'quiet' });
  reveal.hidden = shown;
  const copy = button('Copy', async () => {
    await navigator.clipboard.writeText(`${lines().map(textOf).join('\n')}\n`);
    toast('Copied', 'good');
  }, { class: 'quiet' });

  const lines = () => {
    const seen = shown ? object : covered(object);
    return linesOf(whole ? without(seen, ['metadata.managedFields']) : without(seen, NOISE));
  };
  const draw = () => {
    wholeButton.setAttribute('aria-pressed', String(whole));
    reveal.setAttribute('aria-pressed', String(shown));
    const owners = ownersOf(object);
    const managers = managersOf(object);
    fill(legend, managers.map((manager, number) => {
      const words = [manager.operation.toLowerCase(), manager.subresource, manager.time && `${age(manager.time)} ago`].filter(Boolean).join(', ');
      const chip = button(manager.name, () => { picked = picked === number ? -1 : number; draw(); }, { class: `chip owner hue-${number % HUES}`, 'aria-pressed': String(picked === number), title: `${manager.name}: ${words}` });
      chip.append(h('span.muted', null, ` ${manager.subresource || manager.operation.toLowerCase()}`));
      return chip;
    }));
    fill(code, lines().map((line) => {
      const owner = ownerAt(owners, line.path);
      const classes = `line${owner >= 0 ? ` owned hue-${owner % HUES}` : ''}${picked >= 0 && owner !== picked ? ' pale' : ''}`;
      return h('div', { class: classes, title: owner >= 0 ? `${managers[owner].name} (${managers[owner].operation}${managers[owner].subresource ? `, ${managers[owner].subresource}` : ''})` : null }, yamlText(line), '\n');
    }));
  };
  return {
    element: h('div', null, h('div.view-tools', null, legend, h('div.push'), reveal, wholeButton, copy), code),
    show(now) {
      if (now.metadata.resourceVersion === object.metadata?.resourceVersion) return;
      object = now;
      draw();
    },
  };
}
